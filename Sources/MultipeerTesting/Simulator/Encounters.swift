import MultipeerCertificates
public import MultipeerCore
import MultipeerCrypto
import MultipeerWire

/// Apps that invite each other at any time, say yes, no or nothing, and lose links and programs, as chance or a fuzzer chooses; and
/// what must be so (SPEC §8.7). The sessions of each app are one group.
public struct Encounters<Choices: ChurnChoices> {
    public let network: Simulator
    /// What is left of the choices.
    public private(set) var choices: Choices
    /// What is not as it must be.
    public private(set) var complaints: [String] = []
    /// Which apps have said yes, and to whom.
    private var agreements: Set<[Int]> = []
    /// What the apps' invitations may wait for.
    private let patience: InvitationPatience
    private static var group: GroupNumber { GroupNumber(rawValue: 1) }
    private static var terms: SessionTerms { SessionTerms(encryption: .optional) }

    /// Hosts that do not know each other.
    public init(_ network: Simulator, _ choices: Choices, patience: InvitationPatience = .none) {
        (self.network, self.choices, self.patience) = (network, choices, patience)
        for host in network.hosts {
            host.group = Self.group
            host.app.terms = nil
        }
    }

    /// Does one thing, and lets a little time pass.
    public mutating func step() {
        let host = network.hosts[choices.next(below: network.hosts.count)]
        let other = network.hosts[choices.next(below: network.hosts.count)]
        switch choices.next(below: 16) {
        case 0, 1, 2, 3: if host !== other, host.isUp { invite(other, by: host, expects: choices.next(below: 2) == 0) }
        case 4, 5, 6: answer(host, true)
        case 7: answer(host, false)
        case 8: if let connection = network.anyConnection() { network.cut(connection) }
        case 9:
            if let connection = network.anyConnection() {
                network.cut(connection, noticedBy: choices.next(below: 2))
            }
        case 10: if let connection = network.anyConnection() { network.silence(connection) }
        case 11: if host.isUp { network.crash(host, noticed: choices.next(below: 2) == 0) }
        case 12: if !host.isUp { network.restart(host) }
        case 13: if host !== other, host.isUp { disconnect(other, by: host) }
        default: break
        }
        check()
        network.run(for: .milliseconds(Int64(choices.next(below: 2_500))))
        check()
    }

    private func invite(_ other: SimulatedHost, by host: SimulatedHost, expects: Bool) {
        guard let link = network.connect(host, to: other, isInviting: false, expects: expects) else { return }
        let session = host.node.home(of: Self.group)
        var isTried = false
        network.act(host) { node in
            // There may be a link, or an INVITE, already (R8.7-2).
            isTried =
                (try? node.invite(
                    on: link, to: session, in: Self.group, terms: Self.terms,
                    patience: patience, at: network.now)) != nil
        }
        if isTried, patience == .forConnection { host.app.noteCall(on: link) }
    }

    private mutating func answer(_ host: SimulatedHost, _ isYes: Bool) {
        guard host.isUp, !host.app.questions.isEmpty else { return }
        let link = host.app.questions.removeFirst()
        guard let key = host.node.peer(of: link), let other = network.hosts.first(where: { $0.key == key }) else {
            return
        }
        var isAnswered = false
        network.act(host) { node in
            do throws(NodeRequestError) {
                if isYes {
                    try node.accept(link, into: Self.group, with: Self.terms, at: network.now)
                } else {
                    try node.decline(link, at: network.now)
                }
                isAnswered = true
            } catch {
                // Nobody waits for the answer any more.
            }
        }
        if isAnswered, isYes { agreements.insert([host.id, other.id]) }
    }

    private func disconnect(_ other: SimulatedHost, by host: SimulatedHost) {
        let sessions = host.sessions
        network.act(host) { node in
            for session in sessions { node.disconnect(other.key, in: session, at: network.now) }
        }
    }

    // MARK: What must be so

    private mutating func check() {
        for host in network.hosts where host.isUp {
            for other in network.hosts where other !== host {
                let open = host.node.openLinkCount(to: other.key, in: Self.group)
                if open > 1 { complain("\(host.name) has \(open) open links to \(other.name)") }
                if open == 0, host.app.shown[other.key] != nil, host.app.lost[other.key] == nil,
                    !host.node.hasLink(to: other.key)
                {
                    complain("\(host.name) shows \(other.name) as connected, and there is no link")
                }
                // Members that a third one has admitted need no answer of their own (R14.8-2).
                guard network.hosts.count == 2 else { continue }
                let isAgreed = agreements.contains([host.id, other.id]) || agreements.contains([other.id, host.id])
                if open > 0, !isAgreed {
                    complain("nobody has said yes, and \(host.name) is linked to \(other.name)")
                }
            }
        }
    }

    private mutating func complain(_ what: String) {
        if !complaints.contains(what) { complaints.append(what) }
    }

    /// All programs run, and everybody says yes. Then every two that invite each other get one link.
    public mutating func settle() {
        for host in network.hosts where !host.isUp { network.restart(host) }
        for host in network.hosts { while !host.app.questions.isEmpty { answer(host, false) } }
        network.run(for: .seconds(60))
        for host in network.hosts { host.app.terms = Self.terms }
        for host in network.hosts {
            for other in network.hosts where other.id > host.id {
                agreements.insert([other.id, host.id])
                let isLinked = network.run(until: .seconds(90), step: .seconds(1)) {
                    if host.node.openLinkCount(to: other.key, in: Self.group) == 1 { return true }
                    invite(other, by: host, expects: true)
                    return false
                }
                if !isLinked { complain("\(other.name) has said yes, and \(host.name) is not linked to it") }
            }
        }
        network.run(for: .seconds(30))
        check()
        for host in network.hosts {
            for (link, outcomes) in host.app.calls where outcomes.count != 1 {
                complain("\(host.name) heard \(outcomes.count) outcomes of its call on \(link)")
            }
            for other in network.hosts where other.id > host.id {
                let both = [(host, other), (other, host)].map { $0.0.node.openLinkCount(to: $0.1.key, in: Self.group) }
                if both != [1, 1] { complain("\(host.name) and \(other.name) have \(both) open links") }
            }
            // Whatever they were in at times, in the end it is one session (SPEC §14.11).
            let home = host.node.home(of: Self.group)
            if home == nil || home != network.hosts[0].node.home(of: Self.group) {
                complain("\(host.name) is in another session than \(network.hosts[0].name)")
            }
            for event in host.app.events {
                switch event {
                case .twinSuspected, .placeLost, .contradiction, .departed(_, .misbehaved):
                    complain("\(host.name) heard \(event) of \(host.app.ends.map(\.end))")
                case .connected, .reconnecting, .departed, .restarted: break
                }
            }
        }
        complaints += network.faults
    }
}
