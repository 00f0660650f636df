public import Foundation

/// An error of this framework.
///
/// As with Apple's, `catch MCError.notConnected` and `(error as? MCError)?.code` both work. An underlying error is in
/// ``userInfo`` under `NSUnderlyingErrorKey`, and `localizedDescription` says what happened and what can be done.
public struct MCError: CustomNSError, Hashable, Sendable {
    /// What is wrong.
    public enum Code: Int, Sendable {
        /// Anything else.
        case unknown = 0
        /// The peer is not connected.
        case notConnected = 1
        /// A parameter is out of range.
        case invalidParameter = 2
        /// This cannot be done, such as to send a resource of a URL that names neither a file nor a web page.
        case unsupported = 3
        /// It took too long.
        case timedOut = 4
        /// One peer has cancelled it.
        case cancelled = 5
        /// What is needed for it is not there.
        case unavailable = 6
    }

    /// ``MCErrorDomain``.
    public static var errorDomain: String { MCErrorDomain }

    /// `NSError` is immutable, and a subclass with state of its own is never stored here.
    private let error: NSError

    /// Creates an error.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        error = NSError(domain: MCErrorDomain, code: code.rawValue, userInfo: userInfo)
    }

    /// An error that says what happened, and perhaps its cause.
    init(_ code: Code, _ description: String, underlying: (any Error)? = nil) {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: description]
        if let underlying { userInfo[NSUnderlyingErrorKey] = underlying }
        self.init(code, userInfo: userInfo)
    }

    /// What is wrong.
    public var code: Code { Code(rawValue: error.code) ?? .unknown }
    /// The same as a number.
    public var errorCode: Int { error.code }
    /// What else is known.
    public var userInfo: [String: Any] { error.userInfo }
    /// What else is known.
    public var errorUserInfo: [String: Any] { error.userInfo }
    /// What happened.
    public var localizedDescription: String {
        error.userInfo[NSLocalizedDescriptionKey] as? String ?? "MCError: \(code)"
    }

    public static func == (left: MCError, right: MCError) -> Bool { left.error.isEqual(right.error) }
    public func hash(into hasher: inout Hasher) { hasher.combine(error.code) }
}

extension MCError: CustomStringConvertible {
    /// What happened.
    public var description: String { localizedDescription }
}

extension MCError {
    /// ``Code-swift.enum/unknown``.
    public static var unknown: Code { .unknown }
    /// ``Code-swift.enum/notConnected``.
    public static var notConnected: Code { .notConnected }
    /// ``Code-swift.enum/invalidParameter``.
    public static var invalidParameter: Code { .invalidParameter }
    /// ``Code-swift.enum/unsupported``.
    public static var unsupported: Code { .unsupported }
    /// ``Code-swift.enum/timedOut``.
    public static var timedOut: Code { .timedOut }
    /// ``Code-swift.enum/cancelled``.
    public static var cancelled: Code { .cancelled }
    /// ``Code-swift.enum/unavailable``.
    public static var unavailable: Code { .unavailable }
}

extension MCError.Code {
    /// Lets `catch MCError.notConnected` match, also an `NSError` of the same domain.
    public static func ~= (code: MCError.Code, error: any Error) -> Bool {
        if let error = error as? MCError { return error.code == code }
        let error = error as NSError
        return error.domain == MCErrorDomain && error.code == code.rawValue
    }
}
