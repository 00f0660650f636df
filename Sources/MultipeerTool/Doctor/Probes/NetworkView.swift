import MultipeerDiscovery

/// The interfaces of this host as the checks see them.
struct NetworkView: Sendable {
    let all: [NetworkInterface]
    /// Names that were asked for; nil for all.
    let asked: [String]?

    init(_ selection: InterfaceSelection, _ all: [NetworkInterface] = NetworkInterface.all()) {
        self.all = all
        asked = if case .only(let names) = selection { names } else { nil }
    }

    /// Names that were asked for and are not there.
    var unknown: [String] { (asked ?? []).filter { name in !all.contains { $0.name == name } } }

    /// Interfaces that discovery may use.
    var selected: [NetworkInterface] {
        guard let asked else { return all }
        return all.filter { asked.contains($0.name) }
    }

    /// Those of them that are up and have an address.
    var usable: [NetworkInterface] { selected.filter { $0.isUp && !$0.addresses.isEmpty } }

    /// Those on which multicast can be expected to come through. Tunnels carry none, unless they were asked for.
    var forMulticast: [NetworkInterface] {
        usable.filter { $0.isConnected && (!$0.isPointToPoint || asked != nil) }
    }
}
