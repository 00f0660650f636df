/// Where a peer listens: a host and a TCP port, or the path of a Unix socket.
public enum Endpoint: Hashable, Sendable {
    /// A host name or an address, and a port. IPv6 addresses have no brackets. With port 0 the system chooses when
    /// binding.
    case tcp(host: String, port: Int)
    /// A stream socket in the file system.
    case unixSocket(path: String)

    /// Where only programs of this host connect: `127.0.0.1`, at a port that the system chooses.
    public static let loopback = Endpoint.tcp(host: "127.0.0.1", port: 0)

    /// Parses `host:port`, `[IPv6 address]:port` or `unix:path`.
    /// - Throws: ``EndpointSyntaxError``.
    public init(parsing text: String) throws(EndpointSyntaxError) {
        // This compares bytes and not characters, because a combining mark after a colon forms one character with it.
        let bytes = text.utf8[...]
        if bytes.starts(with: "unix:".utf8) {
            let path = bytes.dropFirst("unix:".utf8.count)
            guard !path.isEmpty else { throw .missingPath }
            self = .unixSocket(path: String(Substring(path)))
            return
        }
        guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")) else { throw .missingPort }
        let digits = bytes[bytes.index(after: colon)...]
        // Int.init also accepts signs.
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(Substring(digits)) else {
            throw digits.isEmpty ? .missingPort : .invalidPort
        }
        self = .tcp(host: try Self.host(bytes[..<colon]), port: Int(port))
    }

    private static func host(_ text: Substring.UTF8View) throws(EndpointSyntaxError) -> String {
        let (opening, closing) = (UInt8(ascii: "["), UInt8(ascii: "]"))
        var host = text
        if host.first == opening {
            guard host.last == closing else { throw .unbalancedBrackets }
            host = host.dropFirst().dropLast()
        } else if host.contains(UInt8(ascii: ":")) {
            throw .unbracketedAddress
        }
        guard !host.contains(opening), !host.contains(closing) else { throw .unbalancedBrackets }
        guard !host.isEmpty else { throw .missingHost }
        return String(Substring(host))
    }
}

extension Endpoint: CustomStringConvertible {
    /// The text of the endpoint, as the initialiser parses it.
    public var description: String {
        switch self {
        case .tcp(let host, let port): host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unixSocket(let path): "unix:\(path)"
        }
    }
}

/// The reason why a text is not an endpoint.
@nonexhaustive
public enum EndpointSyntaxError: Error, Hashable, Sendable {
    case missingHost
    case missingPort
    /// The port is not a number from 0 to 65,535.
    case invalidPort
    /// An IPv6 address needs brackets, because its colons look like a port's.
    case unbracketedAddress
    case unbalancedBrackets
    case missingPath
}

extension EndpointSyntaxError: CustomStringConvertible {
    /// Phase, reason and remedy.
    public var description: String { "address: \(reason). Give HOST:PORT, [IPv6 address]:PORT or unix:PATH" }

    private var reason: String {
        switch self {
        case .missingHost: "there is no host"
        case .missingPort: "there is no port"
        case .invalidPort: "a port is a number from 0 to 65535"
        case .unbracketedAddress, .unbalancedBrackets: "an IPv6 address needs brackets"
        case .missingPath: "there is no path"
        }
    }
}
