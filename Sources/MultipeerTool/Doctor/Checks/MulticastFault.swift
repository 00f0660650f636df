import Glibc
import Multipeer
import MultipeerDiscovery

/// What keeps multicast from an interface, or from several: one fault is reported once, whatever it hits.
struct MulticastFault {
    private let outcome: MulticastProbe.Outcome
    /// Of two families one is enough to find peers.
    private let isProblem: Bool
    /// What it hits, in order.
    private var trials: [MulticastCheck.Trial]

    /// The faults that trials show.
    static func all(in trials: [MulticastCheck.Trial]) -> [MulticastFault] {
        var faults: [MulticastFault] = []
        for trial in trials where trial.outcome != .received {
            let other = trials.first { $0.interface == trial.interface && $0.isIPv4 != trial.isIPv4 }
            let fault = MulticastFault(outcome: trial.outcome, isProblem: other?.outcome != .received, trials: [trial])
            if let index = faults.firstIndex(where: { $0.isSame(as: fault) }) {
                faults[index].trials.append(trial)
            } else {
                faults.append(fault)
            }
        }
        return faults
    }

    /// A firewall is one for all interfaces, and what is wrong with an interface is a fault of its own.
    private func isSame(as other: MulticastFault) -> Bool {
        outcome == other.outcome && isProblem == other.isProblem
            && (isOfHost || trials[0].interface == other.trials[0].interface)
    }

    private var isOfHost: Bool {
        switch outcome {
        case .lost: true
        case .unsent(let error): error.isForbidden
        case .unbound(let error): error.number == EADDRINUSE
        case .received: false
        }
    }

    var issue: Issue {
        let (reason, remedy) = words
        return isProblem
            ? .problem("\(places): \(reason)", why: MulticastCheck.why, remedy: remedy)
            : .warning(
                "\(places): \(reason)",
                why: MulticastCheck.why + " On this interface they can be found by the other family of addresses.",
                remedy: remedy)
    }

    /// `lo, IPv4; eth0, IPv4 and IPv6`
    private var places: String {
        var places: [(interface: NetworkInterface, families: [String])] = []
        for trial in trials {
            if let last = places.indices.last, places[last].interface == trial.interface {
                places[last].families.append(trial.family)
            } else {
                places.append((trial.interface, [trial.family]))
            }
        }
        return places.map { "\(SafeText.escape($0.interface.name)), \($0.families.joined(separator: " and "))" }
            .joined(separator: "; ")
    }

    /// The families that it hits.
    private var families: [Bool] { [true, false].filter { family in trials.contains { $0.isIPv4 == family } } }

    private var words: (reason: String, remedy: String) {
        switch outcome {
        case .received: ("sent and received", "")
        case .lost:
            (
                "multicast was sent, and not received",
                "Let UDP port 5353 in through this host's firewall: ufw allow 5353/udp, or firewall-cmd --permanent "
                    + "--add-service=mdns, or the nftables rule `udp dport 5353 accept` in the chain of input."
            )
        case .unsent(let error) where error.isForbidden:
            (
                "multicast is blocked on the way out (\(error.text))",
                "Let UDP port 5353 to \(groups) out through this host's firewall: ufw allow out 5353/udp, or the nftables "
                    + "rule `udp dport 5353 accept` in the chain of output."
            )
        case .unsent(let error) where [ENETUNREACH, EHOSTUNREACH, EINVAL].contains(error.number):
            ("there is no route for multicast (\(error.text))", "Add one: \(routes).")
        case .unsent(let error):
            ("multicast cannot be sent (\(error.text))", "Look at the interface: ip address, ip route.")
        case .unbound(let error) where error.number == EADDRINUSE:
            (
                "another program keeps UDP port 5353 for itself",
                "End the program that the check `daemon` names, or have it share the port."
            )
        case .unbound(let error):
            (
                "the group cannot be joined (\(error.text))",
                "Look at the interface (ip link), and at the limit of groups: sysctl net.ipv4.igmp_max_memberships."
            )
        }
    }

    private var groups: String { families.map { $0 ? "224.0.0.251" : "ff02::fb" }.joined(separator: " and ") }

    private var routes: String {
        let name = SafeText.escape(trials[0].interface.name)
        return families.map {
            $0 ? "ip route add 224.0.0.0/4 dev \(name)" : "ip -6 route add ff00::/8 dev \(name) table local"
        }.joined(separator: "; ")
    }
}

extension SocketError {
    /// Whether a filter of this host has refused it.
    fileprivate var isForbidden: Bool { [EPERM, EACCES].contains(number) }
}
