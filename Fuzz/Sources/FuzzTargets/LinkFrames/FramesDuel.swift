import FuzzSupport
import MultipeerCore
import MultipeerCrypto
import MultipeerWire

/// A link and its model, which see the same and must do the same.
final class FramesDuel: AssociationHost {
    var link: Link
    var model: ModelLink
    /// What the link asked, or named.
    var invitationToken: LinkToken?
    var judgementToken: LinkToken?
    var codeToken: LinkToken?
    var names = AssociationNames()
    /// Whether the app takes messages as they come.
    private let takesAtOnce: Bool
    /// Bytes that may still be made up.
    var budget = 400_000
    private let pieces: Int

    init(_ setting: FramesSetting) throws {
        let fixture = FramesFixture.of(setting.role, isLesser: setting.isLesser, verifies: setting.verifies)
        var configuration = fixture.configuration
        configuration.maximumMessage = setting.maximumMessage
        if setting.expectsPeer { configuration.expectedPeer = fixture.peer }
        if !setting.keepsAlive { configuration.timeouts.keepAlive = nil }
        link = FramesFixture.link(setting.role, configuration, verifies: setting.verifies)
        let now = FramesFixture.start.nanoseconds
        model = ModelLink(
            role: setting.role, hasLesserKey: setting.isLesser, maximumMessage: UInt64(setting.maximumMessage),
            binding: fixture.binding, expectsPeer: setting.expectsPeer, now: now, deadline: now + 10_000_000_000,
            allowance: 131_072 - fixture.proof.count, verification: ModelVerification(isListed: setting.verifies),
            payload: ModelAssociation(
                hasLesserKey: setting.isLesser, maximumMessage: UInt64(setting.maximumMessage)))
        model.keySince = now
        model.payload.keepsAlive = setting.keepsAlive
        (pieces, takesAtOnce) = (setting.pieces, setting.takesAtOnce)
        if setting.invitesEarly { try inviteEarly() }
        try begin(fixture)
    }

    /// The invitation of an app that did not wait; an initiator's goes out with its PROOF.
    private func inviteEarly() throws {
        let terms = ModelTerms(preference: 1, timeout: 1_000)
        try link.invite(FramesChoices.invitation(terms), at: FramesFixture.start)
        model.invitation = terms
    }

    private func begin(_ fixture: FramesFixture) throws {
        link.receive(fixture.opening.span, at: FramesFixture.start)
        let first = FramesWire.output(of: &link)
        link.receive(fixture.proof.span, at: FramesFixture.start)
        let bytes = first.dropFirst(11 + Int(first[9]) * 256 + Int(first[10])) + FramesWire.output(of: &link)
        let frames = try FramesWire.frames(in: Array(bytes)).map(\.frame)
        if model.invitation != nil, model.expectsPeer { model.sendInvite() }
        let payload = ModelSent.vector(Array("Anna".utf8)) + ModelSent.varint(model.maximumMessage) + model.listed + [0]
        model.ownInfo = ModelSent(0x04, payload).encoded
        try require(frames.count >= 2 && frames[0].type == 0x02, "PROOF comes first")
        try requireEqual(frames[1], ModelSent(0x04, payload), "PEER_INFO")
        try judge(sent: frames.dropFirst(2).map { (false, $0) })
        try compare(events: [])
    }

    /// The time of a link that slept comes by an input, and not by its timer.
    private var owesTimeout = false

    var now: Instant { Instant(nanoseconds: model.now) }

    // MARK: What comes

    /// One record of the attacker's.
    func receive(_ plaintext: [UInt8], isAuthenticated: Bool) throws {
        guard (2...65_516).contains(plaintext.count) else { return }
        let record = FramesWire.record(plaintext, isAuthenticated: isAuthenticated)
        var start = 0
        while start < record.count {
            let end = min(record.count, start + pieces)
            link.receive(record.span.extracting(start..<end), at: now)
            start = end
        }
        let effects = collect()
        // A guest may check the chain of ADMIT (R14.5-5): this is one that does, if it says so.
        model.guest.checks = effects.contains { ModelEvent.all(of: $0).contains(where: \.isInvalidEntry) }
        model.receive(isAuthenticated: isAuthenticated, plaintext: plaintext)
        try compare(effects)
        if takesAtOnce, !model.payload.untaken.isEmpty { try takeMessages(.max) }
    }

    /// The clock advances. A link that sleeps is notified with the next input.
    func advance(to moment: UInt64, isAsleep: Bool) throws {
        model.now = max(model.now, moment)
        model.payload.now = model.now
        owesTimeout = isAsleep
        guard !isAsleep else { return }
        link.timeout(at: now)
        model.expire(isTimer: true)
        try compare()
    }

    func endStream() throws {
        link.receiveEnd(at: now)
        model.receiveEnd()
        try compare()
    }

    // MARK: What must be the same

    func compare(_ effects: [LinkEffect] = []) throws {
        try compare(events: judge(effects + collect()))
        let bytes = FramesWire.output(of: &link, at: now)
        // What goes out may end the link, or ask for more of a file.
        let more = try judge(collect())
        try judge(sent: try FramesWire.frames(in: bytes))
        try compare(events: more)
        if model.state == .open { try model.payload.requireSettled() }
        if model.state == .closed { try model.payload.requireResults() }
        try require(!model.hasDrained, "drains for ever, or with nothing to send")
        try requireEqual(link.stage.modelled.rawValue, model.stage.rawValue, "stage")
        try compareDeadline()
        try requireEqual(link.isFinished, model.state == .closed, "isFinished")
    }

    /// An open link may look at the time as often as it likes, but not later than it must act.
    private func compareDeadline() throws(OracleFailure) {
        let deadline = link.deadline?.nanoseconds
        guard model.state == .open else {
            return try requireEqual(deadline, model.hasDeadline ? model.deadline : nil, "deadline in \(model.stage)")
        }
        try require(owesTimeout || deadline.map { $0 > model.now } ?? true, "a deadline that has passed, in *open*")
        if let silentAt = model.silentAt {
            try require(deadline ?? .max <= silentAt, "nobody looks when the peer is silent")
        }
        guard let since = model.drainingSince else { return }
        try require(deadline ?? .max <= since + 60_000_000_000, "drains without a deadline")
    }

    private func compare(events: [ModelEvent]) throws(OracleFailure) {
        model.moveEvents()
        try requireEqual(events, model.events, "effects")
        model.events = []
    }

    /// Frames up to *open* and CLOSE are compared; those of an association are judged one by one.
    private func judge(sent: [(isAuthenticated: Bool, frame: ModelSent)]) throws {
        var others: [ModelSent] = []
        for (isAuthenticated, frame) in sent {
            let isPayload = ModelLink.isPayload(frame.type)
            try requireEqual(isAuthenticated, isPayload && model.isReadable, "the protection of \(frame.type)")
            try require(others.last?.type != 0x00, "a frame of type \(frame.type) behind CLOSE")
            if frame.type == 0x06 { learnSession(frame) }
            switch frame.type {
            case 0x12: try judgeRekey()
            case 0x00:
                try judgeClose(frame)
                others.append(frame)
            // Frames of §25 are compared as well, on an open link too.
            case 0x14..<0x70: try judge(frame)
            default: others.append(frame)
            }
        }
        try requireEqual(others, model.sent, "frames that are sent")
        model.sent = []
        try requireEqual(model.owedRekeys, 0, "REKEYs that the app asked for")
    }

    private func judge(_ frame: ModelSent) throws {
        // R12.6-5. What leaves a link that fails goes with its CLOSE.
        if model.state == .open {
            try require(model.now < model.keySince + 600_000_000_000, "a frame under a key that is ten minutes old")
        }
        if frame.type == 0x40 || frame.type == 0x42 { model.progressAt = model.now }
        try model.payload.observe(frame)
    }

    private func judgeRekey() throws(OracleFailure) {
        if model.owedRekeys > 0 {
            model.owedRekeys -= 1
        } else {
            try require(model.now >= model.keySince + 600_000_000_000, "REKEY that nobody asked for")
        }
        model.keySince = model.now
    }

    /// A draining link closes; and ACK comes before each CLOSE of `no_error` (R13.6-1).
    private func judgeClose(_ frame: ModelSent) throws(OracleFailure) {
        guard frame.payload == [0, 0] else { return }
        if model.sent.isEmpty, model.hasDrained { model.close(.session, 0) }
        try requireEqual(model.payload.acknowledged, model.payload.processed, "ACK before CLOSE")
    }

    /// A session that nobody named is drawn at random: it is whatever INVITE says.
    private func learnSession(_ frame: ModelSent) {
        guard !model.isCharterGiven, let index = model.sent.firstIndex(where: { $0.type == 0x06 }) else { return }
        model.invitation?.charter = Array(frame.payload.prefix(65))
        model.sent[index].payload.replaceSubrange(0..<65, with: frame.payload.prefix(65))
        model.inviteFrame = model.sent[index].encoded
    }

    /// What the link reports, as it comes.
    private func collect() -> [LinkEffect] {
        var effects: [LinkEffect] = []
        while let effect = link.nextEffect() { effects.append(effect) }
        return effects
    }

    /// What of it is compared with the model's events.
    private func judge(_ effects: [LinkEffect]) throws -> [ModelEvent] {
        var events: [ModelEvent] = []
        for effect in effects {
            switch effect {
            case .invited(let token, _): invitationToken = token
            case .verify(let token, _): judgementToken = token
            case .verification(.codeWanted(let token, _)): codeToken = token
            case .closed(.failed(let failure)): try failure.requireReadable()
            default: break
            }
            if try !note(effect) { events += ModelEvent.all(of: effect) }
        }
        return events
    }
}
