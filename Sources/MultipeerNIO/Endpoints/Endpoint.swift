/// Where a peer listens: a host and a TCP port, or the path of a Unix socket.
public enum Endpoint: Hashable, Sendable {
    /// A name or an address, IPv6 ones without brackets, and a port; port 0 lets the system choose when binding.
    case tcp(host: String, port: Int)
    /// A stream socket in the file system.
    case unixSocket(path: String)

    /// Reads `host:port`, `[IPv6 address]:port` or `unix:path`.
    /// - Throws: ``EndpointSyntaxError``.
    public init(_ text: String) throws(EndpointSyntaxError) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst("unix:".count))
            guard !path.isEmpty else { throw .missingPath }
            self = .unixSocket(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":") else { throw .missingPort }
        let digits = text[text.index(after: colon)...]
        // Int.init takes signs as well.
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else {
            throw digits.isEmpty ? .missingPort : .invalidPort
        }
        self = .tcp(host: try Self.host(text[..<colon]), port: Int(port))
    }

    private static func host(_ text: Substring) throws(EndpointSyntaxError) -> String {
        var host = text
        if host.first == "[" {
            guard host.last == "]" else { throw .unbalancedBrackets }
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            throw .unbracketedAddress
        }
        guard !host.contains("["), !host.contains("]") else { throw .unbalancedBrackets }
        guard !host.isEmpty else { throw .missingHost }
        return String(host)
    }
}

extension Endpoint: CustomStringConvertible {
    /// The text that an endpoint is read from.
    public var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unixSocket(let path): "unix:\(path)"
        }
    }
}

/// Why a text names no endpoint.
public enum EndpointSyntaxError: Error, Hashable, Sendable {
    case missingHost
    case missingPort
    /// Not a number of 0–65,535.
    case invalidPort
    /// An IPv6 address needs brackets, because its colons look like a port's.
    case unbracketedAddress
    case unbalancedBrackets
    case missingPath
}
