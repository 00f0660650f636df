import Glibc
import Multipeer
import MultipeerDiscovery
import Synchronization

/// Signs of a firewall, and whether a connection of this host to itself comes through at each address.
///
/// Rules can be read by root alone. A connection to an own address goes over the loopback interface, so it meets the rules for ports
/// and addresses, and not those for another interface.
struct FirewallCheck: LocalCheck {
    /// All of them are tried one after the other, within the limit of a check.
    private static let patience = Duration.milliseconds(400)
    private static let mostAddresses = 8

    let view: NetworkView
    /// The port that was asked for.
    let port: UInt16?

    var name: CheckName { .firewall }
    var limit: Duration { .seconds(8) }

    /// What came of a connection to an own address.
    private enum Trial: Equatable {
        case answered
        case dropped(SocketError)
        /// The port is in use, or the address is not there yet. The check of ports says the first.
        case untried
    }

    func look() -> CheckResult {
        let signs = Self.signs(port)
        let addresses = view.usable.flatMap(\.addresses).prefix(Self.mostAddresses)
        let trials = PortsCheck.turn.withLock { _ in addresses.map { ($0, trial(of: $0)) } }
        let tried = trials.filter { $0.1 != .untried }
        let answered = tried.count { $0.1 == .answered }
        let reached = tried.isEmpty ? "no own address was tried" : "\(answered) of \(tried.count) own addresses answer"
        let issues = tried.compactMap { address, trial -> Issue? in
            if case .dropped(let error) = trial { issue(address, error) } else { nil }
        }
        return CheckResult(name, reached + "; " + signs.seen, issues + signs.issues)
    }

    private func trial(of address: ServiceAddress) -> Trial {
        let place = { SocketName(address: address.bytes, port: $0, scope: address.scope ?? 0) }
        do throws(SocketError) {
            let listener = try ProbeSocket(isIPv4: address.isIPv4, isStream: true)
            try listener.set(SOL_SOCKET, SO_REUSEADDR, to: Int32(1))
            try listener.bind(to: place(port ?? 0))
            try listener.listen()
            let client = try ProbeSocket(isIPv4: address.isIPv4, isStream: true)
            try client.connect(to: place(listener.port ?? 0), patience: Self.patience)
            return .answered
        } catch {
            return [EADDRINUSE, EADDRNOTAVAIL, EACCES].contains(error.number) ? .untried : .dropped(error)
        }
    }

    private func issue(_ address: ServiceAddress, _ error: SocketError) -> Issue {
        let rule = port.map { "ufw allow \($0)/tcp, or firewall-cmd --permanent --add-port=\($0)/tcp" }
        return .problem(
            "a connection of this host to itself at \(address) does not come through (\(error.text))",
            why: "Connections of peers meet the same rules.",
            remedy: "Let TCP in through this host's firewall: "
                + (rule ?? "for a port that you choose (--port N), for example ufw allow N/tcp") + ".")
    }

    // MARK: Signs

    private static func signs(_ port: UInt16?) -> (seen: String, issues: [Issue]) {
        var names: [String] = []
        if SystemFile.values("/etc/ufw/ufw.conf")["ENABLED"]?.lowercased() == "yes" { names.append("ufw is enabled") }
        if SystemFile.status("/run/firewalld.pid") != nil || SystemFile.status("/run/firewalld") != nil {
            names.append("firewalld runs")
        }
        func result(_ signs: [String], _ without: String, _ note: String = "") -> (String, [Issue]) {
            let seen = signs.isEmpty ? without : signs.map { SafeText.escape($0) }.joined(separator: ", ")
            return (seen + note, named(signs))
        }
        guard geteuid() == 0 else {
            return result(names, "no sign of a firewall", " (its rules are for root alone)")
        }
        let ports = [MulticastProbe.port] + (port.map { [$0] } ?? [])
        let nftables = FirewallPrograms.nftables.map { FirewallRules($0, ports: ports).signs }
        let legacy = FirewallPrograms.legacy(hasNftables: nftables != nil).flatMap { name, rules in
            LegacyFirewallRules(rules, of: name, ports: ports).signs
        }
        let all = names + (nftables ?? []) + legacy
        guard nftables == nil else { return result(all, "no rule that drops") }
        return result(all, "no sign of a firewall", " (nft cannot be asked for its rules)")
    }

    private static func named(_ signs: [String]) -> [Issue] {
        guard !signs.isEmpty else { return [] }
        return [
            .warning(
                "this host has a firewall: \(signs.map { SafeText.escape($0) }.joined(separator: ", "))",
                why:
                    "It may keep peers out. The checks `multicast` and `firewall` show what it does to this host itself.",
                remedy: "Let UDP port 5353 in and out, and TCP in at the port of `receive` or `chat`.")
        ]
    }
}
