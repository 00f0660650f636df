import FuzzSupport
import MultipeerCore
import MultipeerTesting
import MultipeerWire

/// One honest link, all that it was fed and all that it did, with what must hold after every input.
struct HandshakeSide: ~Copyable {
    /// One thing that happened to the link.
    enum Input: Equatable {
        case bytes([UInt8], Instant)
        case end(Instant)
        case timeout(Instant)
    }

    let role: LinkRole
    let setting: HandshakeSetting
    private(set) var peer: SimulatedPeer
    private(set) var received: [UInt8] = []
    private(set) var sent: [UInt8] = []
    /// All effects in order, traces included.
    private(set) var effects: [SeenEffect] = []
    private(set) var inputs: [Input] = []
    private var hasSpoken = false
    private var counts = (effects: 0, traces: 0)

    init(_ role: LinkRole, _ setting: HandshakeSetting) {
        self.role = role
        self.setting = setting
        peer = setting.peer(role)
    }

    /// Effects without traces and end: what the app sees.
    var visible: [SeenEffect] { effects.filter { $0.kind != .trace && $0.kind != .closed } }
    var end: LinkEnd? { peer.end }
    var stage: LinkStage { peer.link.stage }
    var deadline: Instant? { peer.link.deadline }

    /// Feeds an input, in pieces of these lengths where it has bytes. Returns what the link sends then.
    mutating func take(_ input: Input, pieces: [Int] = []) throws -> [UInt8] {
        inputs.append(input)
        let now: Instant
        switch input {
        case .bytes(let bytes, let moment):
            now = moment
            received += bytes
            feed(bytes, pieces, at: now)
        case .end(let moment):
            now = moment
            peer.link.receiveEnd(at: now)
        case .timeout(let moment):
            now = moment
            peer.link.timeout(at: now)
        }
        return try settle(at: now)
    }

    /// Drains the link. Its app sends one message as soon as it can.
    mutating func settle(at now: Instant) throws -> [UInt8] {
        let hadEnded = peer.end != nil
        peer.drain(at: now)
        if !hasSpoken, peer.summary != nil, stage == .open {
            hasSpoken = true
            do { try peer.link.send(Array("\(role) speaks".utf8), at: now) } catch {
                throw OracleFailure("cannot send: \(error)")
            }
        }
        let output = peer.transmit(at: now)
        peer.drain(at: now)
        sent += output
        try check(at: now, hadEnded: hadEnded)
        return output
    }

    private mutating func feed(_ bytes: [UInt8], _ pieces: [Int], at now: Instant) {
        var (start, turn) = (0, 0)
        repeat {
            let length = pieces.isEmpty ? bytes.count : pieces[turn % pieces.count]
            let end = min(bytes.count, start + length)
            peer.link.receive(bytes.span.extracting(start..<end), at: now)
            (start, turn) = (end, turn + 1)
        } while start < bytes.count
    }

    private mutating func check(at now: Instant, hadEnded: Bool) throws {
        // What became of a message is reported when its link ends, and is no part of what honest records show.
        let news = peer.effects.dropFirst(counts.effects).filter { effect in
            if case .messages = effect { false } else { true }
        }.map { SeenEffect($0) }
        let traces = peer.traces.dropFirst(counts.traces).map { SeenEffect($0) }
        counts = (peer.effects.count, peer.traces.count)
        effects += traces + news
        if case .failed(let failure) = end, !hadEnded { try failure.requireReadable() }
        try require(!hadEnded || news.isEmpty, "\(role): effects after the end: \(news)")
        let ends = news.indices.filter { news[$0].kind == .closed }
        try require(ends.isEmpty || ends == [news.count - 1], "\(role): an end that is not the last: \(news)")
        // An answer may come too late for a link that has ended in the meantime, and never else. One whose invitation
        // was withdrawn reports it at the peer's CLOSE (R16.1-2).
        let hasEnded = stage == .closing || stage == .closed
        try require(
            peer.misuses.allSatisfy { hasEnded && $0 == .staleToken }, "\(role): misled to \(peer.misuses)")
        switch stage {
        case .closed: try requireEqual(deadline, nil, "\(role): a deadline of a closed link")
        case .open: try require(deadline.map { $0 > now } ?? true, "\(role): a deadline that is over")
        default:
            try require(deadline.map { $0 > now } ?? false, "\(role): no deadline in the future in \(stage) (R19-3)")
        }
        if stage == .closed { try require(peer.end != nil, "\(role): closed, and the app was not told") }
    }
}
