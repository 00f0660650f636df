import Glibc
import Multipeer
import MultipeerDiscovery

/// Whether multicast goes out and comes in on each interface: peers nearby are found by it (SPEC §23).
struct MulticastCheck: Check {
    /// What came of one interface and one family of addresses.
    struct Trial: Sendable, Equatable {
        let interface: NetworkInterface
        let isIPv4: Bool
        let outcome: MulticastProbe.Outcome

        var family: String { isIPv4 ? "IPv4" : "IPv6" }
    }

    /// More interfaces than people have networks. Hosts of containers have many.
    private static let mostInterfaces = 16
    private static let why = "Peers nearby are found by multicast DNS, UDP port 5353."

    let view: NetworkView

    var name: CheckName { .multicast }

    func run() async -> CheckResult {
        let interfaces = view.forMulticast.prefix(Self.mostInterfaces)
        guard !interfaces.isEmpty else { return .skipped(name, "no interface for it") }
        let probes = interfaces.filter(\.carriesMulticast).flatMap { interface in
            Self.families(of: interface).map { MulticastProbe(interface: interface, isIPv4: $0) }
        }
        let trials = await withTaskGroup(of: Trial.self) { group in
            for probe in probes {
                group.addTask {
                    Trial(
                        interface: probe.interface, isIPv4: probe.isIPv4,
                        outcome: await Blocking.run { probe.run() })
                }
            }
            return await group.reduce(into: [Trial]()) { $0.append($1) }
        }
        let mute = interfaces.filter { !$0.carriesMulticast }
        return Self.result(of: trials.sorted(by: Self.precedes), mute: mute)
    }

    /// IPv6 needs an address of the link (RFC 6762 §15), which the loopback interface does not have.
    static func families(of interface: NetworkInterface) -> [Bool] {
        let hasIPv4 = interface.addresses.contains(where: \.isIPv4)
        let hasIPv6 = interface.addresses.contains { $0.scope != nil }
        return (hasIPv4 ? [true] : []) + (hasIPv6 ? [false] : [])
    }

    private static func precedes(_ one: Trial, _ other: Trial) -> Bool {
        (one.interface.index, one.isIPv4 ? 0 : 1) < (other.interface.index, other.isIPv4 ? 0 : 1)
    }

    // MARK: The result

    static func result(of trials: [Trial], mute: [NetworkInterface]) -> CheckResult {
        let seen =
            trials.map { "\($0.interface.name) \($0.family) \(words($0.outcome))" }
            + mute.map { "\($0.name) carries none" }
        var issues = mute.map(issue)
        for trial in trials where trial.outcome != .received {
            // Of two families one is enough to find peers.
            let other = trials.first { $0.interface == trial.interface && $0.isIPv4 != trial.isIPv4 }
            issues.append(issue(trial, isProblem: other?.outcome != .received))
        }
        return CheckResult(.multicast, seen.map { SafeText.escape($0) }.joined(separator: "; "), issues)
    }

    private static func words(_ outcome: MulticastProbe.Outcome) -> String {
        switch outcome {
        case .received: "sent and received"
        case .lost: "sent, not received"
        case .unsent: "not sent"
        case .unbound: "not tried"
        }
    }

    private static func issue(_ interface: NetworkInterface) -> Issue {
        let name = SafeText.escape(interface.name)
        return .problem(
            "\(name) does not carry multicast", why: Self.why,
            remedy: "Switch it on: ip link set dev \(name) multicast on.")
    }

    private static func issue(_ trial: Trial, isProblem: Bool) -> Issue {
        let (reason, remedy) = words(trial)
        return isProblem
            ? .problem(reason, why: why, remedy: remedy)
            : .warning(
                reason, why: why + " On this interface they can be found by the other family of addresses.",
                remedy: remedy)
    }

    private static func words(_ trial: Trial) -> (reason: String, remedy: String) {
        let place = "\(SafeText.escape(trial.interface.name)), \(trial.family)"
        let group = trial.isIPv4 ? "224.0.0.251" : "ff02::fb"
        return switch trial.outcome {
        case .received: ("\(place): sent and received", "")
        case .lost:
            (
                "\(place): multicast was sent, and not received",
                "Let UDP port 5353 in through this host's firewall: ufw allow 5353/udp, or firewall-cmd --permanent "
                    + "--add-service=mdns, or the nftables rule `udp dport 5353 accept` in the chain of input."
            )
        case .unsent(let error) where [EPERM, EACCES].contains(error.number):
            (
                "\(place): multicast is blocked on the way out (\(error.text))",
                "Let UDP port 5353 to \(group) out through this host's firewall: ufw allow out 5353/udp, or the nftables "
                    + "rule `udp dport 5353 accept` in the chain of output."
            )
        case .unsent(let error) where [ENETUNREACH, EHOSTUNREACH, EINVAL].contains(error.number):
            (
                "\(place): there is no route for multicast (\(error.text))",
                "Add one: "
                    + (trial.isIPv4
                        ? "ip route add 224.0.0.0/4 dev \(SafeText.escape(trial.interface.name))."
                        : "ip -6 route add ff00::/8 dev \(SafeText.escape(trial.interface.name)) table local.")
            )
        case .unsent(let error):
            ("\(place): multicast cannot be sent (\(error.text))", "Look at the interface: ip address, ip route.")
        case .unbound(let error) where error.number == EADDRINUSE:
            (
                "\(place): another program keeps UDP port 5353 for itself",
                "End the program that the check `daemon` names, or have it share the port."
            )
        case .unbound(let error):
            (
                "\(place): the group cannot be joined (\(error.text))",
                "Look at the interface (ip link), and at the limit of groups: sysctl net.ipv4.igmp_max_memberships."
            )
        }
    }
}
