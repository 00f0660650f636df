import MultipeerDiscovery
import MultipeerNIO

/// Where the local peer listens, and what others hear of that.
enum ListeningPlace {
    /// What is tried, in this order. Where `MULTIPEER_INTERFACE` names the loopback interface alone, this is for programs of this host, and
    /// only at its own address they reach each other.
    static var endpoints: [Endpoint] {
        if let named, named.allSatisfy(\.isLoopback) { return [.loopback] }
        // A host without IPv6 has IPv4 alone.
        return [.tcp(host: "::", port: 0), .tcp(host: "0.0.0.0", port: 0)]
    }

    /// The same for an advertiser, which tries IPv4 by itself; nil for everywhere.
    static var forAdvertiser: Endpoint? {
        let first = endpoints[0]
        return endpoints.count == 1 ? first : nil
    }

    /// The interfaces that `MULTIPEER_INTERFACE` names; nil if it names none.
    private static var named: [NetworkInterface]? {
        guard case .only(let names) = InterfaceSelection.standard() else { return nil }
        let found = NetworkInterface.all().filter { names.contains($0.name) }
        return found.isEmpty ? nil : found
    }

    /// Where others reach a listener: at the interfaces that `MULTIPEER_INTERFACE` names, or at all; on a host without a network, at the host
    /// itself.
    static func reachable(at endpoint: Endpoint) -> [Endpoint] {
        guard case .tcp(_, let port) = endpoint, !endpoint.isForThisHost else { return [endpoint] }
        if let named { return named.flatMap(\.addresses).map { .tcp(host: $0.description, port: port) } }
        let all = Endpoint.reachable(at: endpoint)
        return all.isEmpty ? [.tcp(host: "127.0.0.1", port: port)] : all
    }
}
