import FuzzSupport
import MultipeerCore
import MultipeerWire

/// Two links, the streams between them, and the time. Every step ends with all that must hold.
final class SessionWorld {
    let setting: SessionSetting
    let peers: [SessionPeer]
    /// What each peer has sent.
    var wires = [SessionWire(), SessionWire()]
    var now = SessionWorld.start
    /// What happened at each step, summed: the same however bytes are cut.
    private(set) var journal: [UInt64] = []
    var record = InsecureSum()
    /// The length of the pieces in which bytes arrive; nil: as they are.
    private let piece: Int?
    /// Bytes that apps may still send.
    var budget = 150_000

    private static let start = Instant(nanoseconds: 1_000_000_000)

    init(_ setting: SessionSetting, piece: Int?) {
        self.setting = setting
        self.piece = piece
        peers = [0, 1].map { SessionPeer(side: $0, configuration: setting.configuration($0), now: Self.start) }
    }

    /// One step, and then all that must hold.
    func settle() throws {
        for side in 0...1 { try drain(side) }
        for side in 0...1 { try peers[side].check() }
        try checkAgreement()
        for peer in peers {
            record.add(peer.link.deadline?.nanoseconds ?? 0)
            record.add(UInt64(peer.link.queuedByteCount))
        }
        journal.append(record.value)
    }

    func drain(_ side: Int) throws {
        noteInvite(side)
        while let effect = peers[side].link.nextEffect() { try take(effect, of: side) }
    }

    /// When INVITE goes out: at once where the peer is identified; with the PROOF of an initiator that expects it, or
    /// after it; else at PEER_INFO (R8.2-6).
    private func noteInvite(_ side: Int) {
        let peer = peers[side]
        guard peer.memory.inviteSentAt == nil, let asked = peer.stageOfInvitation else { return }
        let isEarly = side == 0 && setting.expectation > 0 && (asked == .hello || asked == .proof)
        // One that a code goes before waits for the right confirmation (R17-1).
        if asked == .pairing {
            if peer.link.stage != .pairing { peer.memory.inviteSentAt = now }
            return
        }
        let isSent = isEarly ? peer.link.stage != .hello && peer.link.stage != .proof : peer.memory.isBeyondInfo(peer)
        if isSent { peer.memory.inviteSentAt = now }
    }

    // MARK: The stream

    /// Sends all that a side has to send, by buffers of this length.
    func transmit(_ side: Int, buffer: Int = 65_535) throws {
        let peer = peers[side]
        var isMoving = true
        while isMoving, peer.link.hasOutput {
            var bytes: [UInt8] = []
            bytes.append(addingCapacity: buffer) { (output: inout OutputSpan<UInt8>) in
                peer.link.transmit(into: &output, at: peer.toldTime)
            }
            isMoving = !bytes.isEmpty
            peer.transmitted.add(bytes.span)
            record.add(bytes.span)
            wires[side].carry(bytes)
            try drain(side)
        }
        if buffer >= 65_535 { try require(!peer.link.hasOutput, "output that a full buffer does not take") }
    }

    /// Bytes arrive at a side.
    func deliver(to side: Int, _ count: Int = .max) throws {
        let peer = peers[side]
        guard !peer.hasStreamEnded else { return }
        let bytes = wires[1 - side].take(count)
        guard !bytes.isEmpty else { return }
        let (stage, isLate) = (peer.link.stage, peer.isDue(at: now))
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + (piece ?? bytes.count))
            peer.link.receive(bytes.span.extracting(start..<end), at: now)
            start = end
        }
        peer.toldTime = now
        if isLate { try checkLate(side, stage) }
        try drain(side)
    }

    /// Input that comes when the deadline has passed is late: the deadline acts first (R18-2).
    private func checkLate(_ side: Int, _ stage: LinkStage) throws(OracleFailure) {
        let after = peers[side].link.stage
        try require(
            stage == .open || stage == .draining || after == .closing || after == .closed,
            "late input leads from \(stage) to \(after)")
    }

    /// A side's receiving stream ends; what was on the way is lost.
    func endStream(to side: Int) throws {
        let peer = peers[side]
        guard !peer.hasStreamEnded else { return }
        (peer.hasStreamEnded, peer.isEndLate) = (true, peer.isDue(at: now))
        peer.link.receiveEnd(at: now)
        peer.toldTime = now
        try require(peer.link.stage == .closed, "a stream has ended, and the link is in \(peer.link.stage)")
        try drain(side)
    }

    /// Carries bytes both ways until nobody has more to say.
    func exchange() throws {
        for _ in 0..<200 {
            for side in 0...1 { try transmit(side) }
            guard wires.contains(where: { !$0.pending.isEmpty }) else { return }
            for side in 0...1 where peers[1 - side].hasStreamEnded { _ = wires[side].take(.max) }
            for side in 0...1 { try deliver(to: side) }
        }
        throw OracleFailure("two links never fall silent")
    }

    // MARK: Time

    /// The clock advances; a side that does not sleep is notified of deadlines.
    func advance(to moment: Instant, asleep: Int? = nil) throws {
        now = max(now, moment)
        for side in 0...1 where side != asleep { try wake(side) }
    }

    func wake(_ side: Int) throws {
        let peer = peers[side]
        let before = peer.snapshot()
        let isDue = peer.isDue(at: now) || peer.isOpen
        peer.link.timeout(at: now)
        peer.toldTime = now
        guard isDue else {
            return try requireEqual(peer.snapshot(), before, "a timeout that comes too early")
        }
        try drain(side)
    }
}

extension SessionMemory {
    /// Whether PEER_INFO has come, or the link has ended.
    func isBeyondInfo(_ peer: SessionPeer) -> Bool {
        switch peer.link.stage {
        case .hello, .proof, .info: false
        default: true
        }
    }
}
