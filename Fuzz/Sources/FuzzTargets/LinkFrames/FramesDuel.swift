import FuzzSupport
import MultipeerCore
import MultipeerCrypto
import MultipeerWire

/// A link and its model, which see the same and must do the same.
final class FramesDuel {
    var link: Link
    var model: ModelLink
    /// What the link asked, or named.
    var invitationToken: LinkToken?
    var judgementToken: LinkToken?
    var files: [UInt64: FileID] = [:]
    /// Bytes that may still be made up.
    var budget = 200_000
    private let pieces: Int

    init(_ setting: FramesSetting) throws {
        let fixture = FramesFixture.of(setting.role, isLesser: setting.isLesser)
        var configuration = fixture.configuration
        configuration.maximumMessage = setting.maximumMessage
        if setting.expectsPeer { configuration.expectedPeer = fixture.peer }
        link = FramesFixture.link(setting.role, configuration)
        let now = FramesFixture.start.nanoseconds
        model = ModelLink(
            role: setting.role, hasLesserKey: setting.isLesser, maximumMessage: UInt64(setting.maximumMessage),
            binding: fixture.binding, expectsPeer: setting.expectsPeer, now: now, deadline: now + 10_000_000_000,
            allowance: 131_072 - fixture.proof.count, payload: ModelPayload(hasLesserKey: setting.isLesser))
        model.keySince = now
        pieces = setting.pieces
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
        let payload = ModelSent.vector(Array("Anna".utf8)) + ModelSent.varint(model.maximumMessage) + [0, 0]
        model.ownInfo = ModelSent(0x04, payload).encoded
        try require(frames.count >= 2 && frames[0].type == 0x02, "PROOF comes first")
        try requireEqual(frames[1], ModelSent(0x04, payload), "PEER_INFO")
        try compare(sent: frames.dropFirst(2).map { (false, $0) })
        try compare(events: [])
    }

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
        model.receive(isAuthenticated: isAuthenticated, plaintext: plaintext)
        try compare()
    }

    /// The clock goes on. A link that sleeps is told with the next input.
    func advance(to moment: UInt64, isAsleep: Bool) throws {
        model.now = max(model.now, moment)
        guard !isAsleep else { return }
        link.timeout(at: now)
        model.expire()
        try compare()
    }

    func endStream() throws {
        link.receiveEnd(at: now)
        model.receiveEnd()
        try compare()
    }

    // MARK: What must be the same

    func compare() throws {
        var events = try drain()
        let bytes = FramesWire.output(of: &link, at: now)
        events += try drain()
        model.rekeyIfOld()
        try compare(events: events)
        try compare(sent: try FramesWire.frames(in: bytes))
        try requireEqual(link.stage.modelled.rawValue, model.stage.rawValue, "stage")
        try requireEqual(
            link.deadline?.nanoseconds, model.hasDeadline ? model.deadline : nil, "deadline in \(model.stage)")
        try requireEqual(link.isFinished, model.state == .closed, "isFinished")
    }

    private func compare(events: [ModelEvent]) throws(OracleFailure) {
        try requireEqual(events, model.events, "effects")
        model.events = []
    }

    private func compare(sent: [(isAuthenticated: Bool, frame: ModelSent)]) throws(OracleFailure) {
        for (isAuthenticated, frame) in sent {
            let isPayload = [0x40, 0x42, 0x56].contains(frame.type)
            try requireEqual(isAuthenticated, isPayload && model.isReadable, "the protection of \(frame.type)")
            if frame.type == 0x06 { learnSession(frame) }
        }
        try requireEqual(sent.map(\.frame), model.sent, "frames that are sent")
        model.sent = []
    }

    /// A session that nobody named is drawn at random: it is whatever INVITE says.
    private func learnSession(_ frame: ModelSent) {
        guard !model.isCharterGiven, let index = model.sent.firstIndex(where: { $0.type == 0x06 }) else { return }
        model.invitation?.charter = Array(frame.payload.prefix(65))
        model.sent[index].payload.replaceSubrange(0..<65, with: frame.payload.prefix(65))
        model.inviteFrame = model.sent[index].encoded
    }

    private func drain() throws(OracleFailure) -> [ModelEvent] {
        var events: [ModelEvent] = []
        while let effect = link.nextEffect() {
            switch effect {
            case .invited(let token, _): invitationToken = token
            case .verify(let token, _): judgementToken = token
            case .incomingFile(.offered(let offer)):
                files[offer.file.rawValue] = offer.file
                try SessionFileNames.check(offer.localName)
            case .closed(.failed(let failure)): try failure.requireReadable()
            default: break
            }
            events.append(ModelEvent(effect))
        }
        return events
    }
}
