import FuzzSupport
import MultipeerCore
import Synchronization

/// A run that nobody disturbs: what each peer sees and sends after each record. The same for every input, and so kept.
struct HandshakeBaseline: Sendable {
    /// One peer's run.
    struct Side: Sendable {
        /// What comes, record by record.
        var incoming: [[UInt8]] = []
        var visible: [SeenEffect] = []
        var sent: [UInt8] = []
        /// How many effects and sent bytes there are after each number of records.
        var effectCounts: [Int] = []
        var sentCounts: [Int] = []
        var hasEnded = false
    }

    var initiator = Side()
    var responder = Side()

    subscript(_ role: LinkRole) -> Side { role == .initiator ? initiator : responder }

    private static let kept = Mutex<[HandshakeSetting: HandshakeBaseline]>([:])

    static func of(_ setting: HandshakeSetting) throws -> HandshakeBaseline {
        if let known = kept.withLock({ $0[setting] }) { return known }
        let made = try HandshakeBaseline(setting)
        kept.withLock { $0[setting] = made }
        return made
    }

    private init(_ setting: HandshakeSetting) throws {
        var first = HandshakeSide(.initiator, setting)
        var second = HandshakeSide(.responder, setting)
        var toSecond = HandshakeSetting.records(try first.settle(at: HandshakeSetting.start), isBeginning: true)
        var toFirst = HandshakeSetting.records(try second.settle(at: HandshakeSetting.start), isBeginning: true)
        Self.note(first, nil, &initiator)
        Self.note(second, nil, &responder)
        while !toFirst.isEmpty || !toSecond.isEmpty {
            if !toSecond.isEmpty {
                let record = toSecond.removeFirst()
                let isBeginning = second.sent.isEmpty
                let sent = try second.take(.bytes(record, HandshakeSetting.start))
                toFirst += HandshakeSetting.records(sent, isBeginning: isBeginning)
                Self.note(second, record, &responder)
            } else {
                let record = toFirst.removeFirst()
                toSecond += HandshakeSetting.records(
                    try first.take(.bytes(record, HandshakeSetting.start)), isBeginning: false)
                Self.note(first, record, &initiator)
            }
        }
        let isHonest = setting.expectation != .someoneElse && !setting.isSameIdentity
        try requireEqual(first.stage, !isHonest ? .closed : setting.invites ? .open : .identified, "an honest run")
    }

    private static func note(_ side: borrowing HandshakeSide, _ record: [UInt8]?, _ noted: inout Side) {
        if let record { noted.incoming.append(record) }
        noted.visible = side.visible
        noted.sent = side.sent
        noted.effectCounts.append(side.visible.count)
        noted.sentCounts.append(side.sent.count)
        noted.hasEnded = side.end != nil
    }
}
