import MultipeerCore
import MultipeerNIO
import MultipeerStorage
import MultipeerWire

/// Where the local peer can be reached.
extension PeerHost {
    /// Listens at an endpoint; `acceptor` answers on the links that come.
    func listen(at endpoint: Endpoint, as acceptor: LinkAcceptor) async throws(MultipeerError) -> LinkListener {
        do throws(BindError) {
            return try await node.listen(at: endpoint, for: acceptor.group) { [registry] link in
                registry.accepted(link, by: acceptor)
            }
        } catch {
            throw .listening(error)
        }
    }

    /// Tells members where the local peer listens. A peer that listens at a link-local address can use those of others,
    /// of the same family.
    func tellAddresses() async {
        let endpoints = registry.listeners.map(\.localEndpoint)
        let addresses = endpoints.flatMap(MemberAddress.reachable)
        let name = identity.identity.name
        var rules = AddressRules()
        rules.allowsLinkLocalIPv4 = endpoints.contains(where: \.isLinkLocalIPv4)
        rules.allowsLinkLocalIPv6 = endpoints.contains(where: \.isLinkLocalIPv6)
        try? await node.perform { [rules] (node, now) throws(NodeRequestError) in
            node.show(name: name, addresses: addresses, at: now)
            node.setAddressRules(rules, at: now)
        }
    }
}
