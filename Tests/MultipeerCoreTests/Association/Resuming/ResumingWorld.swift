import MultipeerCertificates
import MultipeerCrypto
import MultipeerTesting
import MultipeerWire

@testable import MultipeerCore

/// Two honest peers whose links break, and whose association continues over new ones (SPEC §13.9). All is seeded.
final class ResumingWorld {
    /// A link of one peer, and what it has been shown.
    final class End {
        var peer: SimulatedPeer
        /// Bytes that are on their way here.
        var wire: [UInt8] = []
        var seen = 0

        init(_ peer: consuming SimulatedPeer) { self.peer = peer }
    }

    /// What an app has done and heard, over all links.
    struct App {
        var sent: [[UInt8]] = []
        var received: [[UInt8]] = []
        var results: [String] = []
        var delivered: [UInt64] = []
        /// What was written to streams, and what came.
        var written: [UInt64: [UInt8]] = [:]
        var read: [UInt64: [UInt8]] = [:]
        var ended: [UInt64: StreamEnding] = [:]
        /// What was offered, and what came.
        var offered: [UInt64: [UInt8]] = [:]
        var files: [UInt64: [UInt8]] = [:]
        var complete: [UInt64] = []
        var deliveredFiles: [UInt64] = []
        /// How often a link has been open.
        var opened = 0
        var faults: [String] = []
    }

    private(set) var now = Instant(nanoseconds: 1_000_000_000)
    var dice: SplitMix
    let books = [AssociationBook(), AssociationBook()]
    private(set) var ends: [End]
    /// Links that nobody may have noticed the end of.
    private var old: [End] = []
    var apps = [App(), App()]
    private var seed: UInt64

    /// Opens the first link by READY; the peer of index 0 connects.
    init(seed: UInt64, encryption: EncryptionPreference = .optional) throws {
        (self.seed, dice) = (seed &* 1_000, SplitMix(seed: seed))
        ends = []
        let terms = SessionTerms(encryption: encryption)
        ends = try [end(0, .initiator, terms), end(1, .responder, terms)]
        try ends[0].peer.link.invite(OutgoingInvitation(terms: terms), at: now)
        settle()
        associations = ends.map { $0.peer.link.association }
    }

    private func end(_ side: Int, _ role: LinkRole, _ terms: SessionTerms = SessionTerms()) throws -> End {
        var configuration = try Peers.configuration(side == 0 ? "Anna" : "Ben", seed: UInt64(side + 1))
        configuration.timeouts.keepAlive = nil
        if role == .initiator { configuration.expectedPeer = try Peers.key(UInt64(2 - side)) }
        seed += 1
        var link = Link(role: role, configuration: configuration, random: SeededRandomSource(seed: seed), now: now)
        link.attach(books[side])
        var script = SimulatedPeer.Script(terms: terms)
        script.suppliesFiles = false
        return End(SimulatedPeer(link: link, script: script))
    }

    /// The association as a peer has it.
    func association(_ side: Int) -> ResumableAssociation? { associations[side] }

    private var associations: [ResumableAssociation?] = [nil, nil]

    // MARK: Bytes

    /// Carries all or a part of what each has to say. Returns whether anything moved.
    @discardableResult
    func carry(whole: Bool = true) -> Bool {
        var hasMoved = false
        for side in 0..<2 {
            note(side)
            ends[1 - side].wire += ends[side].peer.transmit(at: now)
        }
        for side in 0..<2 {
            let end = ends[side]
            let count = whole ? end.wire.count : dice.below(end.wire.count + 1)
            guard count > 0 else { continue }
            let bytes = Array(end.wire.prefix(count))
            end.wire.removeFirst(count)
            end.peer.link.receive(bytes.span, at: now)
            note(side)
            hasMoved = true
        }
        return hasMoved
    }

    /// Carries until nobody has anything to say.
    func settle() {
        for _ in 0..<10_000 where !carry() {
            guard !pass() else { continue }
            return
        }
    }

    /// Lets ACK become due. Returns whether it did.
    private func pass() -> Bool {
        now = now.advanced(by: .milliseconds(20))
        for end in ends { end.peer.link.timeout(at: now) }
        return ends.contains { $0.peer.link.hasOutput }
    }

    // MARK: Breaking

    /// The link breaks, and what is on its way is lost. One peer may not notice.
    func cut(unnoticedBy deaf: Int? = nil) {
        for side in 0..<2 where side != deaf { ends[side].peer.link.receiveEnd(at: now) }
        for side in 0..<2 { note(side) }
    }

    /// A new link, on which one of them asks to continue.
    func connect(by side: Int) throws {
        guard let association = association(side) else { return }
        // A link that is not open has a deadline: it does not wait for ever.
        for side in 0..<2 where ends[side].peer.link.stage != .open {
            ends[side].peer.link.receiveEnd(at: now)
            note(side)
        }
        let (one, other) = (try end(side, .initiator), try end(1 - side, .responder))
        one.peer.link.resume(association)
        old += ends
        ends = side == 0 ? [one, other] : [other, one]
    }

    // MARK: Apps

    /// Takes what has happened to one peer.
    private func note(_ side: Int) {
        let end = ends[side]
        while true {
            end.peer.drain(at: now)
            let effects = end.peer.effects
            guard end.seen < effects.count else { break }
            for effect in effects[end.seen...] { note(effect, side) }
            end.seen = effects.count
        }
        apps[side].faults += end.peer.misuses.map { "\($0)" }
    }

    private func note(_ effect: LinkEffect, _ side: Int) {
        switch effect {
        case .opened: apps[side].opened += 1
        case .message(let message): apps[side].received.append(message)
        case .messages(let range, let result):
            apps[side].results.append("\(result)")
            if result == .delivered { apps[side].delivered += range.first.number...range.last.number }
        case .stream(.data(let stream, let bytes)): apps[side].read[stream.rawValue, default: []] += bytes
        case .stream(.ended(let stream, let ending)): apps[side].ended[stream.rawValue] = ending
        case .outgoingFile(.wanted(let file, let offset, let maximum)):
            let rest = (apps[side].offered[file.rawValue] ?? []).dropFirst(Int(offset)).prefix(maximum)
            do throws(RequestError) {
                try ends[side].peer.link.supply(Array(rest), to: file, at: now)
            } catch {
                // The link has ended meanwhile.
            }
        case .outgoingFile(.delivered(let file, _)): apps[side].deliveredFiles.append(file.rawValue)
        case .incomingFile(.data(let file, let bytes)): apps[side].files[file.rawValue, default: []] += bytes
        case .incomingFile(.complete(let file, _)): apps[side].complete.append(file.rawValue)
        case .closed(.failed(let failure)) where failure.cause != .truncated && failure.cause != .peerClosed(.moved):
            apps[side].faults.append("\(failure)")
        default: break
        }
    }

    private func bytes(_ most: Int) -> [UInt8] {
        (0..<dice.below(most)).map { _ in UInt8(truncatingIfNeeded: dice.next()) }
    }

    /// An app does something, if its link is open.
    func act() throws {
        let side = dice.below(2)
        guard ends[side].peer.link.stage == .open else { return }
        switch dice.below(8) {
        case 0, 1, 2, 3:
            let message = bytes(dice.below(5) == 0 ? 200_000 : 200)
            try ends[side].peer.link.send(message, at: now)
            apps[side].sent.append(message)
        case 4:
            guard let stream = try? ends[side].peer.link.openStream(named: "s", credit: 0, at: now) else { return }
            apps[side].written[stream.rawValue] = []
        case 5, 6:
            guard let id = apps[side].written.keys.sorted().last else { return }
            let content = bytes(50_000)
            try ends[side].peer.link.write(content, to: StreamID(rawValue: id), at: now)
            apps[side].written[id, default: []] += content
        default:
            guard apps[side].offered.count < 8 else { return }
            let content = bytes(150_000)
            let file = try ends[side].peer.link.offerFile(name: "f", size: UInt64(content.count), at: now)
            apps[side].offered[file.rawValue] = content
        }
    }
}
