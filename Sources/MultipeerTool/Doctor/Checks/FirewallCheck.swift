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
        let programs = ["/usr/sbin/nft", "/sbin/nft", "/usr/bin/nft"]
        guard geteuid() == 0 else {
            let seen = names.isEmpty ? "no sign of a firewall" : names.joined(separator: ", ")
            return (seen + " (its rules are for root alone)", named(names))
        }
        guard let program = programs.first(where: { SystemFile.status($0) != nil }),
            let rules = ProgramOutput.of(program, ["list", "ruleset"])
        else {
            let seen = names.isEmpty ? "no sign of a firewall" : names.joined(separator: ", ")
            return (seen + " (nft cannot be asked for its rules)", named(names))
        }
        let found = FirewallRules(rules, ports: [MulticastProbe.port] + (port.map { [$0] } ?? [])).signs
        let all = names + found
        return (
            all.isEmpty ? "no rule that drops" : all.map { SafeText.escape($0) }.joined(separator: ", "), named(all)
        )
    }

    private static func named(_ signs: [String]) -> [Issue] {
        guard !signs.isEmpty else { return [] }
        return [
            .warning(
                "this host has a firewall: \(signs.map { SafeText.escape($0) }.joined(separator: ", "))",
                why:
                    "It may keep peers out. The checks `multicast` and `firewall` show what it does to this host itself.",
                remedy: "Let UDP port 5353 in and out, and TCP in at the port of `listen`, `receive` or `chat`.")
        ]
    }
}

/// What stands in the rules of nftables (nft(8), `list ruleset`) that can keep peers out.
struct FirewallRules {
    /// Chains that drop by default, and rules that drop one of the ports.
    let signs: [String]

    init(_ text: String, ports: [UInt16]) {
        var signs: [String] = []
        var (table, chain, isFilter) = ("", "", false)
        for line in text.split(separator: "\n").map(\.trimmed) {
            let words = line.split(separator: " ")
            if words.first == "table" { table = words.dropFirst().prefix(2).joined(separator: " ") }
            if words.first == "chain" { (chain, isFilter) = (String(words.dropFirst().first ?? ""), false) }
            if line.contains("hook input") || line.contains("hook output") {
                isFilter = true
                if line.contains("policy drop") { signs.append("nftables \(table) \(chain) drops by default") }
            }
            guard isFilter, words.contains("drop") || words.contains("reject") else { continue }
            let numbers = words.compactMap { UInt16($0.filter(\.isNumber)) }
            let concerns =
                ports.contains(where: numbers.contains) || line.contains("224.0.0.") || line.contains("ff02::")
            if concerns { signs.append("nftables \(table) \(chain) has: \(line)") }
        }
        self.signs = signs
    }
}
