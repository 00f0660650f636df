import MultipeerCertificates
public import NIOCore

extension Endpoint {
    /// The endpoint of a socket's address; nil for one without a name, such as a Unix client's, or of another family.
    public init?(_ address: SocketAddress) {
        switch address {
        case .v4, .v6:
            guard let host = address.ipAddress, let port = address.port else { return nil }
            self = .tcp(host: host, port: port)
        case .unixDomainSocket:
            guard let path = address.pathname, !path.isEmpty else { return nil }
            self = .unixSocket(path: path)
        }
    }
}

extension Endpoint {
    /// The origin of a link that the local peer connects there.
    var dialledOrigin: PeerOrigin? { PeerAddress(description).map(PeerOrigin.dialled) }
}
