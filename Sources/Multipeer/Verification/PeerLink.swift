public import MultipeerCrypto
public import MultipeerNIO

/// One text that says which peer it is, where it listens and which code it shows, for a QR code or a message (SPEC
/// §25.9).
///
/// With a code in it, it is as secret as the code, for as long as that lives.
public struct PeerLink: Hashable, Sendable {
    /// The greatest number of addresses.
    public static let maximumAddresses = 8
    /// The longest text, in bytes.
    public static let maximumLength = 2_048

    /// The key of the peer that must answer.
    public let key: IdentityKey
    /// Where the peer listens, in the order in which to try: hosts and ports, at most ``maximumAddresses``.
    public let addresses: [Endpoint]
    /// The code that the peer shows, if it does.
    public let code: OneTimeCode?
    /// What the peer calls itself. It proves nothing.
    public let name: DisplayName?

    /// Creates a link. Addresses that are no hosts, and those beyond ``maximumAddresses``, are left out.
    public init(key: IdentityKey, addresses: [Endpoint] = [], code: OneTimeCode? = nil, name: DisplayName? = nil) {
        self.key = key
        self.addresses = Array(addresses.filter(\.isHost).prefix(Self.maximumAddresses))
        self.code = code
        self.name = name
    }

    /// Reads a link.
    /// - Throws: ``PeerLinkError`` (R25.9-1).
    public init(_ text: String) throws(PeerLinkError) {
        guard text.utf8.count <= Self.maximumLength else { throw .tooLong }
        let (scheme, rest) = Self.divide(text.utf8[...], at: UInt8(ascii: ":"))
        guard let rest, String(Substring(scheme)).lowercased() == Self.scheme else { throw .notALink }
        let (digits, query) = Self.divide(rest, at: UInt8(ascii: "?"))
        guard let key = IdentityKey(String(Substring(digits)).lowercased()) else { throw .key }
        var parameters = Parameters()
        for part in query?.split(separator: UInt8(ascii: "&")) ?? [] {
            let (name, value) = Self.divide(part, at: UInt8(ascii: "="))
            try parameters.take(String(Substring(name)), try PercentEncoding.decode(value ?? ""[...].utf8[...]))
        }
        self.init(key: key, addresses: parameters.addresses, code: parameters.code, name: parameters.name)
    }

    private static let scheme = "multipeer"

    /// The text before the first `separator`, and the text after it, if there is one.
    private static func divide(
        _ text: Substring.UTF8View, at separator: UInt8
    ) -> (Substring.UTF8View, Substring.UTF8View?) {
        guard let place = text.firstIndex(of: separator) else { return (text, nil) }
        return (text[..<place], text[text.index(after: place)...])
    }

    /// What the parameters say. Those that are unknown say nothing.
    private struct Parameters {
        var addresses: [Endpoint] = []
        var code: OneTimeCode?
        var name: DisplayName?

        mutating func take(_ parameter: String, _ value: String) throws(PeerLinkError) {
            switch parameter {
            case "at":
                guard let endpoint = try? Endpoint(parsing: value), endpoint.isHost, addresses.count < maximumAddresses
                else {
                    throw .address
                }
                addresses.append(endpoint)
            case "code":
                guard code == nil, let read = OneTimeCode(typed: value) else { throw .code }
                code = read
            case "name":
                guard name == nil, let read = try? DisplayName(value) else { throw .name }
                name = read
            default: break
            }
        }
    }
}

extension PeerLink: CustomStringConvertible {
    /// The text of the link.
    public var description: String {
        var parameters = addresses.map { ("at", $0.description) }
        if let code { parameters.append(("code", code.normalForm)) }
        if let name { parameters.append(("name", name.description)) }
        let query = parameters.map { "\($0)=\(PercentEncoding.encode($1))" }.joined(separator: "&")
        return "\(Self.scheme):\(key)" + (query.isEmpty ? "" : "?" + query)
    }
}

/// Why a text is no link to a peer.
@nonexhaustive
public enum PeerLinkError: Error, Hashable, Sendable {
    /// It does not begin with `multipeer:`.
    case notALink
    /// It is longer than ``PeerLink/maximumLength``.
    case tooLong
    /// Its key is not 64 hexadecimal digits.
    case key
    /// An address is no host with a port, or there are too many.
    case address
    /// The code is none, or there are two.
    case code
    /// The name is none, or there are two.
    case name
    /// A percent sign precedes something else than two hexadecimal digits, or the bytes are no UTF-8.
    case encoding
}

extension PeerLinkError: CustomStringConvertible {
    /// Phase, reason and remedy.
    public var description: String {
        let reason =
            switch self {
            case .notALink: "it does not begin with multipeer:"
            case .tooLong: "it is longer than \(PeerLink.maximumLength) bytes"
            case .key: "its key is not 64 hexadecimal digits"
            case .address: "an address is not HOST:PORT, or there are more than \(PeerLink.maximumAddresses)"
            case .code: "its code is not a number and two words of the list, or there are two"
            case .name: "its name is not a display name, or there are two"
            case .encoding: "a percent sign is not followed by two hexadecimal digits, or the text is no UTF-8"
            }
        return "reading the link to a peer: \(reason); copy the whole link, from multipeer: to its end"
    }
}

extension Endpoint {
    fileprivate var isHost: Bool {
        if case .tcp = self { true } else { false }
    }
}

/// Percent-encoding of RFC 3986 §2.1, as SPEC §25.9 uses it.
private enum PercentEncoding {
    static func encode(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            if isPlain(byte) {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return encoded
    }

    static func decode(_ text: Substring.UTF8View) throws(PeerLinkError) -> String {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                throw .encoding
            }
            bytes.append(high << 4 | low)
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else { throw .encoding }
        return decoded
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
    }

    /// The unreserved characters, and those of an address.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~:[]".utf8.contains(byte)
        }
    }
}
