import MultipeerCertificates
import MultipeerCrypto
import MultipeerTesting
import MultipeerWire

@testable import MultipeerCore

/// Two honest nodes on a virtual clock, whose connections can break or be refused.
final class NodeResumingWorld {
    /// One node, and what its app has heard.
    final class Side {
        var node: Node
        let key: IdentityKey
        var effects: [NodeEffect] = []
        /// When the node has asked for connections.
        var dials: [Instant] = []
        var received: [[UInt8]] = []
        var results: [String] = []

        init(_ node: consuming Node, key: IdentityKey) {
            self.node = node
            self.key = key
        }
    }

    /// A connection of both.
    private struct Line {
        let links: [LinkNumber]
        /// Bytes on their way to each.
        var wires: [[UInt8]] = [[], []]
        var isCut = false
    }

    private(set) var now = Instant(nanoseconds: 1_000_000_000)
    let sides: [Side]
    private var lines: [Line] = []
    /// Whether connections can be made.
    var isReachable = true
    var dice: SplitMix

    /// Side 0 connects, founds a session and invites. `isController` says whether it has the lesser key.
    init(grace: Duration, isController: Bool = true, seed: UInt64 = 1) throws {
        let (lesser, greater) = try Peers.seedsByKey()
        dice = SplitMix(seed: seed)
        let seeds = isController ? [lesser, greater] : [greater, lesser]
        let start = now
        sides = try seeds.enumerated().map { index, seed in
            var configuration = NodeConfiguration(
                link: try Peers.configuration("Peer", seed: seed), memberTerms: SessionTerms(encryption: .optional))
            configuration.milliseconds = 1_700_000_000_000
            configuration.grace = grace
            let key = configuration.link.identity.identityKey
            return Side(
                Node(configuration: configuration, random: SeededRandomSource(seed: 20 + UInt64(index)), now: start),
                key: key)
        }
    }

    /// A link of both is open. Returns the session.
    func open() throws -> SessionID {
        let link = sides[0].node.opened(expecting: sides[1].key, place: SimulatedHost.address(of: 1), at: now)
        join(link, by: 0)
        let session = try sides[0].node.found(at: now)
        try sides[0].node.invite(on: link, to: session, terms: SessionTerms(encryption: .optional), at: now)
        settle()
        return session
    }

    private func join(_ link: LinkNumber, by side: Int) {
        let accepted = sides[1 - side].node.accepted(at: now)
        lines.append(Line(links: side == 0 ? [link, accepted] : [accepted, link]))
    }

    /// Both find out that all connections are gone, or only one of them.
    func cut(noticedBy noticed: [Int] = [0, 1]) {
        for index in lines.indices where !lines[index].isCut {
            lines[index].isCut = true
            for side in noticed { sides[side].node.disconnected(lines[index].links[side], at: now) }
        }
        settle()
    }

    /// Carries until nobody has anything to say.
    func settle() { while carry() {} }

    @discardableResult
    func carry(whole: Bool = true) -> Bool {
        var hasMoved = false
        for side in 0..<2 { drain(side) }
        for index in lines.indices where !lines[index].isCut {
            for side in 0..<2 {
                lines[index].wires[1 - side] += transmit(lines[index].links[side], side)
            }
            for side in 0..<2 {
                let count = whole ? lines[index].wires[side].count : dice.below(lines[index].wires[side].count + 1)
                guard count > 0 else { continue }
                let bytes = Array(lines[index].wires[side].prefix(count))
                lines[index].wires[side].removeFirst(count)
                sides[side].node.receive(bytes.span, on: lines[index].links[side], at: now)
                hasMoved = true
            }
        }
        for side in 0..<2 { hasMoved = drain(side) || hasMoved }
        return hasMoved
    }

    private func transmit(_ link: LinkNumber, _ side: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while sides[side].node.hasOutput(on: link) {
            let before = bytes.count
            bytes.append(addingCapacity: RecordHeader.maximumRecordLength) { (output: inout OutputSpan<UInt8>) in
                sides[side].node.transmit(on: link, into: &output, at: now)
            }
            if bytes.count == before { break }
        }
        return bytes
    }

    @discardableResult
    private func drain(_ side: Int) -> Bool {
        var hasAny = false
        while let effect = sides[side].node.nextEffect() {
            hasAny = true
            sides[side].effects.append(effect)
            react(to: effect, side)
        }
        return hasAny
    }

    private func react(to effect: NodeEffect, _ side: Int) {
        let it = sides[side]
        switch effect {
        case .dial(let number, _):
            it.dials.append(now)
            guard isReachable else { return it.node.failed(number, at: now) }
            if let link = it.node.connected(number, at: now) { join(link, by: side) }
        case .invited(let link, _, _):
            try? it.node.accept(link, with: SessionTerms(encryption: .optional), at: now)
        case .verify(let link, let token, _):
            try? it.node.submitVerdict(.accepted(.unverified), for: token, on: link, at: now)
        case .payload(let link, .message(let message)):
            it.received.append(message)
            it.node.releaseCredit(Link.messageCredit(ofLength: message.count), on: link, at: now)
        case .payload(_, .messages(let range, let result)):
            it.results.append("\(range.first.number)-\(range.last.number) \(result)")
        case .released(let link):
            for index in lines.indices where lines[index].links[side] == link && !lines[index].isCut {
                let other = lines[index].links[1 - side]
                let bytes = lines[index].wires[1 - side]
                lines[index].isCut = true
                sides[1 - side].node.receive(bytes.span, on: other, at: now)
                sides[1 - side].node.receiveEnd(on: other, at: now)
            }
        default: break
        }
    }

    /// Lets time pass. Deadlines on the way fire.
    func advance(by duration: Duration) {
        let target = now.advanced(by: duration)
        while true {
            let next = sides.compactMap { side in side.node.deadline }.min()
            guard let next, next <= target else { break }
            now = max(now, next)
            for side in sides { side.node.timeout(at: now) }
            settle()
        }
        now = target
        settle()
    }

    // MARK: What an app hears

    func events(_ side: Int) -> [String] {
        sides[side].effects.compactMap { effect in
            switch effect {
            case .connected(_, _, _, let isReplacement): isReplacement ? "connected again" : "connected"
            case .reconnecting: "reconnecting"
            case .departed(_, _, let departure, _): "\(departure)"
            default: nil
            }
        }
    }
}
