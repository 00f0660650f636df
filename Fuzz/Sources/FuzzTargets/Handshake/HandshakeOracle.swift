import FuzzSupport
import MultipeerCore

/// What must hold for a link whose peer is honest, whatever an attacker did with the bytes between them (SPEC §2, §9, §12).
enum HandshakeOracle {
    /// How much of a stream is that of an undisturbed run.
    struct Intact {
        /// Whole records from the beginning.
        var count = 0
        /// Bytes of the next record that are right, too.
        var partial = 0
        /// What does not belong to whole honest records.
        var rest: [UInt8] = []
        /// Whether there is nothing but honest bytes.
        var isWholeStream: Bool { rest.count == partial }
    }

    static func intactRecords(_ received: [UInt8], _ side: HandshakeBaseline.Side) -> Intact {
        var intact = Intact()
        var rest = received[...]
        while intact.count < side.incoming.count, rest.starts(with: side.incoming[intact.count]) {
            rest = rest.dropFirst(side.incoming[intact.count].count)
            intact.count += 1
        }
        intact.rest = Array(rest)
        if intact.count < side.incoming.count {
            intact.partial = zip(rest, side.incoming[intact.count]).prefix { $0 == $1 }.count
        }
        return intact
    }

    /// Records are sealed: an attacker can cut a link short, and nothing else.
    static func checkSealed(
        _ side: borrowing HandshakeSide, _ baseline: HandshakeBaseline.Side, isInterrupted: Bool
    ) throws {
        let intact = intactRecords(side.received, baseline)
        let visible = side.visible
        let name = "\(side.role) after \(intact.count) honest records"
        let honest = Array(baseline.visible.prefix(baseline.effectCounts[intact.count]))
        if isInterrupted {
            try require(honest.starts(with: visible), "\(name) showed \(visible), and not \(honest)")
        } else {
            try requireEqual(visible, honest, "\(name) showed")
        }
        try checkSent(side, baseline, intact, name, isInterrupted)
        if isFault(intact, side.role), !(isInterrupted && isWithdrawal(intact, side.role) && side.stage == .closing) {
            guard case .failed = side.end else {
                throw OracleFailure("\(name) took \(intact.rest.prefix(64)) without a failure: \(side.stage)")
            }
        } else if !isInterrupted, intact.count < baseline.incoming.count {
            try require(side.stage != .closed || intact.count == 0 || baseline.hasEnded, "\(name) ended by itself")
        }
    }

    /// What it said is what an honest run says, with no more than one CLOSE after it.
    private static func checkSent(
        _ side: borrowing HandshakeSide, _ baseline: HandshakeBaseline.Side, _ intact: Intact, _ name: String,
        _ isInterrupted: Bool
    ) throws {
        // A responder cannot know that the hello was changed, and answers what it got (SPEC §7.3, §7.5).
        if side.role == .responder, intact.count == 0 { return }
        let possible =
            isInterrupted ? Array(baseline.sentCounts.prefix(intact.count + 1)) : [baseline.sentCounts[intact.count]]
        let isHonest = possible.contains { count in
            side.sent.starts(with: baseline.sent.prefix(count)) && isEnding(side.sent.dropFirst(count), isInterrupted)
        }
        try require(isHonest, "\(name) sent what honest links do not: \(side.sent.count) bytes, and not \(possible)")
        let hasKeys = intact.count > 0
        try require(hasKeys || side.sent.count == baseline.sentCounts[0], "\(name) spoke without keys (R9.3-1)")
        let acknowledgement = isInterrupted ? 3 + 3 + 16 : 0
        let hasEnding = !possible.contains { [$0, $0 + acknowledgement].contains(side.sent.count) }
        // One that has withdrawn its invitation reports it at the peer's CLOSE (R16.1-2).
        let isWaiting = isInterrupted && side.stage == .closing
        try require(!hasEnding || isWaiting || side.end != nil, "\(name) said that it ends, but not to its app")
    }

    /// Nothing, or the record that ends a link with CLOSE, and with ACK before it where a message has come (R13.6-1).
    /// Where time passes, a record of ACK alone may be before it, and a padded one with CANCEL or DECLINE (R6.5-1).
    private static func isEnding(_ bytes: ArraySlice<UInt8>, _ isInterrupted: Bool) -> Bool {
        let isPadded = isInterrupted && bytes.starts(with: [0x10, 0x03, 0xFD])
        let isAcknowledged = isInterrupted && bytes.starts(with: [0x10, 0x00, 0x13])
        let last = isPadded ? bytes.dropFirst(1_024) : isAcknowledged ? bytes.dropFirst(3 + 3 + 16) : bytes
        // Of CLOSE type, length, one byte of code and no fields; of ACK type, length and one byte of count.
        return last.isEmpty && !isPadded || last.first == 0x10 && [3 + 4 + 16, 3 + 3 + 4 + 16].contains(last.count)
    }

    /// Where time passes, an initiator takes its invitation back by itself: a padded record with CANCEL, and CLOSE,
    /// which may be cut off.
    private static func isWithdrawal(_ intact: Intact, _ role: LinkRole) -> Bool {
        role == .responder && intact.rest.starts(with: [0x10, 0x03, 0xFD])
    }

    /// Whether what follows the honest records is enough to be seen as wrong, or as nothing that this peer sent.
    private static func isFault(_ intact: Intact, _ role: LinkRole) -> Bool {
        var rest = intact.rest[...]
        if intact.count == 0 {
            let magic: [UInt8] = [0x4D, 0x50, 0x45, 0x45, 0x52, 0x0D, 0x0A, 0x00]
            guard magic.starts(with: rest.prefix(8)) else { return true }
            rest = rest.dropFirst(8)
        }
        guard let kind = rest.first else { return false }
        let kinds: [UInt8] = intact.count > 0 ? [0x10, 0x11] : role == .initiator ? [0x01, 0x02] : [0x01]
        guard kinds.contains(kind) else { return true }
        guard rest.count >= 3 else { return false }
        let length = Int(rest[rest.startIndex + 1]) * 256 + Int(rest[rest.startIndex + 2])
        let limits: [UInt8: ClosedRange<Int>] = [0x01: 39...4_096, 0x02: 3...256]
        guard (limits[kind] ?? 18...65_532).contains(length) else { return true }
        guard rest.count >= 3 + length else { return false }
        // A changed hello may be a good one, to a peer that did not write it.
        return !(role == .responder && intact.count == 0)
    }
}
