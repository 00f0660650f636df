import FuzzSupport
import MultipeerCore
import MultipeerCrypto

/// Two nodes with several links between them, on which both invite (SPEC §8.6, §8.7). Their apps say yes.
struct CrossingWorld {
    /// What one peer of a link knows.
    enum State: Equatable {
        case idle, inviting, asking, accepted, closed
    }

    enum Message {
        case invite, accept, decline, close
    }

    static let links: ClosedRange<UInt64> = 1...6

    /// The one with the lesser key first.
    private let keys: [IdentityKey]
    private var nodes: [CrossingInvitations]
    private var states = [[State]](repeating: Array(repeating: .idle, count: links.count), count: 2)
    /// What is on the way to a side, link by link.
    private var wires = [[[Message]]](repeating: Array(repeating: [], count: links.count), count: 2)
    /// Links on which a side sent INVITE.
    private var invitations: [Set<UInt64>] = [[], []]

    init(_ keys: [IdentityKey]) {
        self.keys = keys.sorted()
        nodes = self.keys.map { CrossingInvitations(localKey: $0) }
    }

    mutating func invite(_ side: Int, on link: UInt64) {
        guard self[side, link] == .idle else { return }
        self[side, link] = .inviting
        nodes[side].sent(to: keys[1 - side], on: link, toNewSession: true)
        invitations[side].insert(link)
        send(.invite, from: side, on: link)
    }

    mutating func deliver(to side: Int, on link: UInt64) throws {
        let index = Int(link - Self.links.lowerBound)
        guard !wires[side][index].isEmpty else { return }
        let message = wires[side][index].removeFirst()
        guard self[side, link] != .closed else { return }
        switch message {
        case .invite: try takeInvite(side, link)
        case .accept: settle(side, link, as: .accepted)
        case .decline, .close: settle(side, link, as: .closed)
        }
        try checkOutstanding(side)
    }

    /// The app of a side that is asked says yes.
    mutating func answer(_ side: Int, on link: UInt64) {
        guard self[side, link] == .asking else { return }
        self[side, link] = .accepted
        send(.accept, from: side, on: link)
    }

    /// All that is on the way arrives, and every question is answered.
    mutating func finish() throws {
        while wires.contains(where: { $0.contains { !$0.isEmpty } }) || states.contains(where: { $0.contains(.asking) })
        {
            for side in 0...1 {
                for link in Self.links {
                    try deliver(to: side, on: link)
                    answer(side, on: link)
                }
            }
        }
        for link in Self.links {
            try requireEqual(self[0, link], self[1, link], "what both sides make of link \(link)")
        }
        // A link on which both invite may be closed for the sake of another one.
        let open = Set(Self.links.filter { self[0, $0] == .accepted })
        try require(
            open.isSuperset(of: invitations[0].subtracting(invitations[1])), "the lesser key's invitations stand")
        try require(!open.isEmpty || invitations[0].isEmpty, "one of the lesser key's invitations stands")
        try require(!invitations[0].isEmpty || open == invitations[1], "nothing crossed the invitations")
    }

    private mutating func takeInvite(_ side: Int, _ link: UInt64) throws {
        let (isLesser, others) = (side == 0, outstanding(side).subtracting([link]).sorted())
        let ruling = nodes[side].ruling(from: keys[1 - side], on: link, mayMerge: true)
        let expected: CrossingInvitations.Ruling =
            others.isEmpty ? .ask : isLesser ? .declineAsSuperseded : .acceptAndClose(others)
        try requireEqual(ruling, expected, "the ruling on link \(link), while \(others) wait")
        // On one link the link itself compares keys: the lesser key's ignores what it received.
        let crossesHere = self[side, link] == .inviting
        if crossesHere, isLesser { return }
        if case .acceptAndClose(let closing) = ruling {
            for other in closing {
                settle(side, other, as: .closed)
                send(.close, from: side, on: other)
            }
        }
        switch ruling {
        case .ask where !crossesHere: self[side, link] = .asking
        case .ask, .acceptAndClose:
            settle(side, link, as: .accepted)
            send(.accept, from: side, on: link)
        case .askAndClose: throw OracleFailure("asks, where both invite to new sessions")
        case .declineAsSuperseded:
            self[side, link] = .closed
            send(.decline, from: side, on: link)
        }
    }

    private mutating func settle(_ side: Int, _ link: UInt64, as state: State) {
        nodes[side].settled(on: link)
        self[side, link] = state
    }

    private mutating func send(_ message: Message, from side: Int, on link: UInt64) {
        wires[1 - side][Int(link - Self.links.lowerBound)].append(message)
    }

    private func outstanding(_ side: Int) -> Set<UInt64> { Set(Self.links.filter { self[side, $0] == .inviting }) }

    /// Asked on a link of its own, a node knows all that it has outstanding, and nothing of strangers.
    private func checkOutstanding(_ side: Int) throws {
        let links = outstanding(side).sorted()
        let ruling = nodes[side].ruling(from: keys[1 - side], on: 0, mayMerge: true)
        try requireEqual(
            ruling, links.isEmpty ? .ask : side == 0 ? .declineAsSuperseded : .acceptAndClose(links), "what waits")
        try requireEqual(
            nodes[side].ruling(from: keys[1 - side], on: 0, mayMerge: false),
            links.isEmpty ? .ask : side == 0 ? .declineAsSuperseded : .askAndClose(links), "what does not merge")
        try requireEqual(nodes[side].ruling(from: keys[side], on: 0, mayMerge: true), .ask, "a stranger's invitation")
    }

    private subscript(side: Int, link: UInt64) -> State {
        get { states[side][Int(link - Self.links.lowerBound)] }
        set { states[side][Int(link - Self.links.lowerBound)] = newValue }
    }
}
