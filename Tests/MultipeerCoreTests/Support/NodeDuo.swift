import MultipeerCore
import MultipeerDriver
import MultipeerTesting
import MultipeerWire
import Testing

/// Two drivers of nodes, Anna's and Ben's, whose links are joined in memory. The time stands still.
final class NodeDuo {
    let anna: NodeEnd
    let ben: NodeEnd
    let now = Instant(nanoseconds: 5_000_000_000)

    /// Ben has the lesser key, so that he is the one who dials.
    init() throws {
        let seeds = try Networks.seeds(2)
        anna = try NodeEnd("Anna", seed: seeds[1], at: now)
        ben = try NodeEnd("Ben", seed: seeds[0], at: now)
    }

    /// Anna connects to Ben.
    func connect() throws -> (anna: NodeLine, ben: NodeLine) {
        let opened = try #require(anna.driver.opened(expecting: ben.key, origin: nil, at: now))
        let accepted = try #require(ben.driver.accepted(origin: nil, at: now))
        return (anna.add(opened), ben.add(accepted))
    }

    /// A link on which Anna has founded a session and invited Ben, up to the verdicts of both apps.
    func judging() throws -> (anna: NodeLine, ben: NodeLine) {
        let (annas, bens) = try connect()
        try anna.driver.perform(at: now) { (node, now) throws(NodeRequestError) in
            let session = try node.found(at: now)
            try node.invite(on: annas.number, to: session, terms: NodeDuel.terms, at: now)
        }
        exchange(annas, bens)
        let invitation = try #require(ben.invitations.first)
        try ben.driver.perform(at: now) { (node, now) throws(NodeRequestError) in
            try node.accept(invitation, with: NodeDuel.terms, at: now)
        }
        exchange(annas, bens)
        return (annas, bens)
    }

    /// A link that is open in a session of both.
    func opened() throws -> (anna: NodeLine, ben: NodeLine) {
        let (annas, bens) = try judging()
        try anna.accept(annas, at: now)
        try ben.accept(bens, at: now)
        exchange(annas, bens)
        try #require(annas.driver.stage == .open && bens.driver.stage == .open)
        return (annas, bens)
    }

    /// Carries bytes both ways until nothing moves any more.
    func exchange(_ one: NodeLine, _ other: NodeLine) {
        var moves = true
        while moves {
            moves = carry(from: one, to: other)
            moves = carry(from: other, to: one) || moves
        }
    }

    /// Carries what one end has written, in one piece. Returns whether there was something.
    @discardableResult
    func carry(from one: NodeLine, to other: NodeLine) -> Bool {
        let bytes = one.drain(at: now)
        guard !bytes.isEmpty else { return false }
        other.driver.receive(bytes.span, at: now)
        return true
    }
}
