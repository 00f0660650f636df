import FuzzSupport
import MultipeerCrypto
import MultipeerSodium
import MultipeerWire

@testable import MultipeerCore

/// An association without its link, and its model: they see the same frames, requests and times, and must do the same.
final class AssociationDuel: AssociationHost {
    private var side: Association
    private var effects = EffectQueue()
    var association: ModelAssociation
    var names = AssociationNames()
    var budget = 600_000
    /// With which error the link would have ended.
    private var fault: String?

    private static let start: UInt64 = 1_000_000_000

    init(_ setting: AssociationSetting) {
        let now = Instant(nanoseconds: Self.start)
        side = Association(
            Association.Settings(
                maximumMessage: setting.maximumMessage, asksForMemory: false,
                keepAlive: setting.keepsAlive ? KeepAliveTimes() : nil, messageWindow: 262_144,
                fileWindow: FileAccept.usualCredit,
                numbers: setting.hasLesserKey ? .even : .odd, digest: FuzzCrypto.sodium.bulkDigest), now: now)
        association = ModelAssociation(
            hasLesserKey: setting.hasLesserKey, maximumMessage: setting.maximumMessage)
        association.keepsAlive = setting.keepsAlive
        (association.now, association.lastHeard, association.lastAsked) = (Self.start, Self.start, Self.start)
    }

    private var now: Instant { Instant(nanoseconds: association.now) }
    var isOpenForApp: Bool { fault == nil }
    var isLive: Bool { fault == nil }
    var isLate: Bool { false }
    /// Whether the link would still be open.
    var goesOn: Bool { fault == nil }

    // MARK: What comes

    /// A record of one frame came, and verified.
    func receive(_ frame: ModelSent) throws {
        side.keepAlive.heard(at: now)
        association.lastHeard = association.now
        var seen: String?
        do throws(LinkFailureCause) { try take(frame.encoded) } catch { seen = ModelEvent.name(of: error) }
        var expected: String?
        do throws(ModelFault) { try association.receive(frame.type, frame.payload) } catch { expected = error.name }
        try requireEqual(seen, expected, "what a frame of type \(frame.type) leads to")
        fault = seen
        try settle()
    }

    private func take(_ bytes: [UInt8]) throws(LinkFailureCause) {
        var cursor = FrameCursor(bytes.span)
        let next: RawFrame?
        do { next = try cursor.next() } catch { throw LinkFailureCause(error) }
        guard let frame = next, let type = frame.type else { return }
        try side.receive(frame, type: type, at: now, into: &effects)
    }

    /// The clock advances.
    func advance(to moment: UInt64) throws {
        association.now = max(association.now, moment)
        let isSilent = association.keepsAlive && association.now >= association.lastHeard + 15_000_000_000
        var hasFailed = false
        do throws(LinkFailureCause) { try side.timeout(at: now, into: &effects) } catch { hasFailed = true }
        try requireEqual(hasFailed, isSilent, "given up in silence")
        if hasFailed { fault = "silent" }
        try settle()
    }

    // MARK: What must be the same

    func settle() throws {
        try drain()
        guard fault == nil else { return }
        for frame in try transmit() { try association.observe(frame) }
        try drain()
        try association.requireSettled()
        let deadline = side.deadline?.nanoseconds
        try require(deadline.map { $0 > association.now } ?? true, "a deadline that has passed")
    }

    private func drain() throws {
        var seen: [ModelEvent] = []
        while let effect = effects.next() {
            if try !note(effect) { seen += ModelEvent.all(of: effect) }
        }
        try requireEqual(seen, association.events, "effects")
        association.events = []
    }

    /// All that is to be sent, record by record.
    private func transmit() throws -> [ModelSent] {
        var frames: [ModelSent] = []
        while side.hasControl || side.hasPayload {
            var bytes: [UInt8] = []
            bytes.append(addingCapacity: 65_516) { (output: inout OutputSpan<UInt8>) in
                if side.hasControl { side.writeControl(room: 65_516, to: &output, at: now) }
                side.writePayload(upTo: 65_516, to: &output, into: &effects)
            }
            try require(!bytes.isEmpty, "output that a whole record does not take")
            let walked = ModelFrames(bytes.span)
            try require(walked.fault == nil, "frames that do not decode")
            frames += walked.frames.map { ModelSent($0.type, $0.payload) }
        }
        return frames
    }

    /// The link ends: every message has one result (R13.6-3).
    func end() throws {
        side.end(into: &effects)
        while let effect = effects.next() { _ = try note(effect) }
        try association.requireResults()
    }

    // MARK: The app

    func ask(
        _ name: String, isAllowed: @autoclosure () -> Bool, _ change: (inout ModelAssociation) -> Void,
        _ body: () throws -> Void
    ) throws {
        let allowed = isAllowed()
        var isMisuse = false
        do { try body() } catch is RequestError { isMisuse = true }
        try requireEqual(!isMisuse, allowed, "\(name) allowed")
        if allowed { change(&association) }
        try settle()
    }

    func send(_ message: [UInt8]) throws -> MessageTag { side.send(message) }
    func takeBack(_ message: MessageTag) -> Bool { side.takeBack(message, into: &effects) }
    func openStream(_ name: String, credit: UInt64) throws -> StreamID {
        try side.openStream(name: Array(name.utf8), credit: credit)
    }
    func write(_ bytes: [UInt8], to stream: StreamID) throws { try side.write(bytes, to: stream) }
    func finish(_ stream: StreamID) throws { try side.finish(stream) }
    func reset(_ stream: StreamID, code: UInt64) throws { try side.reset(stream, code: code) }
    func stop(_ stream: StreamID, code: UInt64) throws { try side.stop(stream, code: code) }
    func offer(_ offer: OutgoingOffer) throws -> FileID { try side.offer(offer) }
    func submit(_ beginning: HeldBeginning, of file: FileID) throws {
        try side.submitBeginning(beginning, of: file, into: &effects)
    }
    func supply(_ chunk: [UInt8], to file: FileID) throws { try side.supply(chunk, to: file) }
    func cancel(_ file: FileID, _ reason: FileCancel.Reason) throws {
        try side.cancelOutgoing(file, reason, into: &effects)
    }
    func accept(_ file: FileID, _ held: HeldBeginning?) throws {
        try side.accept(file, held: held, into: &effects)
    }
    func refuse(_ file: FileID, _ reason: FileCancel.Reason) throws { try side.refuse(file, reason, into: &effects) }
    func confirm(_ file: FileID) throws { try side.confirm(file) }
    func releaseCredit(_ credit: UInt64) { side.releaseCredit(credit, at: now, into: &effects) }
    func releaseCredit(_ count: Int, of stream: StreamID) { side.releaseCredit(count, of: stream) }
    func tookEnd(of stream: StreamID) { side.tookEnd(of: stream) }
    func releaseCredit(_ count: Int, of file: FileID) { side.releaseCredit(count, of: file) }
    func tookEnd(of file: FileID) { side.tookEnd(of: file) }
}
