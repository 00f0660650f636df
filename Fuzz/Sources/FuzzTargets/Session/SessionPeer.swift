import FuzzSupport
import MultipeerCore
import MultipeerTesting

/// One peer: the link, what its app knows, and what holds of it whatever happens.
final class SessionPeer {
    let side: Int
    var link: Link
    var memory = SessionMemory()
    /// The time that the link heard last. What it transmits counts as sent then, however late a transport that sleeps
    /// fetches it (``Link/transmit(into:)``).
    var toldTime: Instant
    /// Whether the link has heard that its stream ended.
    var hasStreamEnded = false
    /// Whether that came when a deadline had passed.
    var isEndLate = false
    /// The stage in which the app invited.
    var stageOfInvitation: LinkStage?
    /// What was sent, and what the traces say was sent.
    var transmitted = InsecureSum()
    var traced = InsecureSum()
    private(set) var lastStage: LinkStage
    private(set) var lastDeadline: Instant?
    /// Whether a code that was typed here was void already.
    private var wasVoid = false
    private var hasSentLast = false
    private let start: Instant

    init(side: Int, configuration: LinkConfiguration, now: Instant) {
        self.side = side
        (start, toldTime) = (now, now)
        link = Link(
            role: side == 0 ? .initiator : .responder, configuration: configuration,
            random: SeededRandomSource(seed: UInt64(side) + 41), now: now)
        lastStage = link.stage
        lastDeadline = link.deadline
    }

    /// What a misuse must leave as it is.
    struct Snapshot: Equatable {
        let stage: LinkStage
        let deadline: Instant?
        let hasOutput: Bool
        let queuedByteCount: Int
        let isFinished: Bool
        let isOutputFinished: Bool
    }

    /// - Parameter acknowledges: Whether the time of an ACK has come, which goes out before anything else (R18-2).
    func snapshot(acknowledges: Bool = false) -> Snapshot {
        Snapshot(
            stage: link.stage, deadline: acknowledges ? nil : link.deadline, hasOutput: acknowledges || link.hasOutput,
            queuedByteCount: link.queuedByteCount, isFinished: link.isFinished,
            isOutputFinished: link.isOutputFinished)
    }

    /// Whether a state has lasted too long. An open link looks at the time for ACK alone.
    func isDue(at now: Instant) -> Bool { !isOpen && link.deadline.map { $0 <= now } ?? false }

    /// Whether an open link has to look at the time.
    func isAcknowledging(at now: Instant) -> Bool { isOpen && link.deadline.map { $0 <= now } ?? false }

    /// Whether the link is open for its peer.
    var isOpen: Bool { link.stage == .open || link.stage == .draining }

    /// What holds after every step. Effects are drained.
    func check() throws(OracleFailure) {
        let stage = link.stage
        try require(Self.rank(stage) >= Self.rank(lastStage), "\(lastStage) is followed by \(stage)")
        try require(memory.end == nil || stage == .closing || stage == .closed, "ended, and still \(stage)")
        try require(stage != .closed || memory.end != nil, "closed, and the app was not told")
        let isLast = stage == .closing || stage == .closed
        try requireEqual(link.isOutputFinished, isLast && !link.hasOutput, "isOutputFinished")
        try requireEqual(link.isFinished, stage == .closed && !link.hasOutput, "isFinished")
        try require(!hasSentLast || link.isOutputFinished, "more to send after the last byte")
        hasSentLast = link.isOutputFinished
        try checkDeadline(stage)
        (lastStage, lastDeadline, wasVoid) = (stage, link.deadline, memory.verification.isVoid)
    }

    private static func rank(_ stage: LinkStage) -> Int {
        switch stage {
        case .hello: 0
        case .proof: 1
        case .info: 2
        case .identified, .pairing: 3
        case .inviting, .resuming: 4
        case .invited: 5
        case .certificates: 6
        case .open, .draining: 7
        case .closing: 8
        case .closed: 9
        @unknown default: 10
        }
    }

    /// SPEC §19, R19-3: every state but *open* has a deadline, and it is the right one.
    private func checkDeadline(_ stage: LinkStage) throws(OracleFailure) {
        guard let deadline = link.deadline else {
            return try require(stage == .closed || stage == .open, "no deadline in \(stage)")
        }
        try require(stage != .closed, "a deadline in \(stage)")
        try require(deadline > toldTime, "the deadline has passed in \(stage)")
        if let expected = expectedDeadline(stage) {
            try requireEqual(deadline, expected, "the deadline of \(stage)")
        } else if stage == .closing || stage == .draining {
            try require(deadline <= toldTime.advanced(by: .seconds(5)), "more than 5 s to close in \(stage)")
        }
    }

    private func expectedDeadline(_ stage: LinkStage) -> Instant? {
        switch stage {
        case .hello, .proof, .info, .resuming: return start.advanced(by: .seconds(10))
        case .inviting:
            guard let sent = memory.inviteSentAt, let invitation = memory.invitation else { return nil }
            return sent.advanced(by: invitation.timeout)
        case .identified, .certificates:
            return stage == lastStage ? lastDeadline : toldTime.advanced(by: .seconds(60))
        case .invited:
            guard let received = memory.received else { return nil }
            return stage == lastStage ? lastDeadline : toldTime.advanced(by: received.timeout)
        case .closing: return stage == lastStage ? nil : toldTime.advanced(by: .seconds(5))
        case .pairing:
            let isGoingOn = stage == lastStage && memory.verification.isVoid == wasVoid
            return isGoingOn ? lastDeadline : toldTime.advanced(by: .seconds(10))
        case .open, .draining, .closed: return nil
        @unknown default: return nil
        }
    }
}
