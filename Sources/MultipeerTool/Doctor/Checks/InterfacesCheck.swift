import Multipeer
import MultipeerDiscovery

/// Which networks this host is on, and which of them discovery may use.
struct InterfacesCheck: LocalCheck {
    let view: NetworkView
    /// Whether `--interface` restricts it, and not the environment.
    let isAskedByOption: Bool

    var name: CheckName { .interfaces }

    func look() -> CheckResult {
        let texts = view.selected.filter { $0.isUp || view.asked != nil }.map(Self.text)
        let seen = texts.isEmpty ? "none" : texts.joined(separator: "; ")
        return CheckResult(name, seen + restriction, unknown + unusable + loopbackAlone)
    }

    private var source: String { isAskedByOption ? "--interface" : "MULTIPEER_INTERFACE" }

    private var restriction: String {
        guard let asked = view.asked else { return "" }
        return " (\(source) allows \(asked.map { SafeText.escape($0) }.joined(separator: ", ")) alone)"
    }

    private var unknown: [Issue] {
        view.unknown.map { name in
            .problem(
                "there is no interface \(SafeText.escape(name))",
                why: "Discovery is restricted to it by \(source), and does not begin.",
                remedy: "Name an interface of this host: `ip link` lists them.")
        }
    }

    private var unusable: [Issue] {
        guard view.usable.isEmpty, view.unknown.isEmpty else { return [] }
        return [
            .problem(
                "no interface is up and has an address", why: "Without one, no peer can be reached.",
                remedy: "Connect this host to a network: `ip link set dev NAME up`, and an address by DHCP or by hand.")
        ]
    }

    private var loopbackAlone: [Issue] {
        guard !view.usable.isEmpty, view.usable.allSatisfy(\.isLoopback) else { return [] }
        let others = view.all.filter { !$0.isLoopback && $0.isUp && !$0.addresses.isEmpty }
        let remedy =
            others.isEmpty
            ? "Connect this host to a network, if peers are on other hosts."
            : "If peers are on other hosts, allow more by \(source): \(others.map(\.name).joined(separator: ", "))."
        return [
            .warning(
                "only the loopback interface is used", why: "It leads to peers on this host, and to no others.",
                remedy: remedy)
        ]
    }

    /// `eth0 192.0.2.7, fe80::1%2 (point-to-point)`
    static func text(_ interface: NetworkInterface) -> String {
        var notes: [String] = []
        if !interface.isUp { notes.append("down") }
        if interface.isUp && !interface.isConnected { notes.append("no carrier") }
        if !interface.carriesMulticast { notes.append("no multicast") }
        if interface.isPointToPoint { notes.append("point-to-point, as of a VPN") }
        let addresses = interface.addresses.map(\.description)
        let places = addresses.isEmpty ? ["no address"] : addresses
        return "\(SafeText.escape(interface.name)) \(places.joined(separator: ", "))"
            + (notes.isEmpty ? "" : " (\(notes.joined(separator: "; ")))")
    }
}
