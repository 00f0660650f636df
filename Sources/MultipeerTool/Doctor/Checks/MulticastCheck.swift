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
    static let why = "Peers nearby are found by multicast DNS, UDP port 5353."

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
        let issues = mute.map(issue) + MulticastFault.all(in: trials).map(\.issue)
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
}
