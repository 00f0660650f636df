import FuzzSupport
import MultipeerCore
import MultipeerWire

/// The link's app, as the model of associations asks for it.
extension FramesDuel {
    var association: ModelAssociation {
        get { model.payload }
        set { model.payload = newValue }
    }

    var isOpenForApp: Bool { model.state == .open && model.drainingSince == nil }
    var isLive: Bool { model.state == .open }
    var isLate: Bool { model.isDue }

    func settle() throws { try compare() }

    func ask(
        _ name: String, isAllowed: @autoclosure () -> Bool, _ change: (inout ModelAssociation) -> Void,
        _ body: () throws -> Void
    ) throws {
        model.expire()
        let allowed = isAllowed()
        var isMisuse = false
        do { try body() } catch is RequestError { isMisuse = true }
        try requireEqual(!isMisuse, allowed, "\(name) allowed in \(model.stage)")
        if allowed { change(&model.payload) }
        try compare()
    }

    func send(_ message: [UInt8]) throws -> MessageTag { try link.send(message, at: now) }
    func takeBack(_ message: MessageTag) -> Bool { link.takeBack(message, at: now) }
    func openStream(_ name: String, credit: UInt64) throws -> StreamID {
        try link.openStream(named: name, credit: credit, at: now)
    }
    func write(_ bytes: [UInt8], to stream: StreamID) throws { try link.write(bytes, to: stream, at: now) }
    func finish(_ stream: StreamID) throws { try link.finishStream(stream, at: now) }
    func reset(_ stream: StreamID, code: UInt64) throws { try link.resetStream(stream, code: code, at: now) }
    func stop(_ stream: StreamID, code: UInt64) throws { try link.stopStream(stream, code: code, at: now) }
    func offer(_ offer: OutgoingOffer) throws -> FileID { try link.offerFile(offer, at: now) }
    func submit(_ beginning: HeldBeginning, of file: FileID) throws {
        try link.submitBeginning(beginning, of: file, at: now)
    }
    func supply(_ chunk: [UInt8], to file: FileID) throws { try link.supply(chunk, to: file, at: now) }
    func cancel(_ file: FileID, _ reason: FileCancel.Reason) throws {
        try link.cancelFile(file, reason: reason, at: now)
    }
    func accept(_ file: FileID, _ held: HeldBeginning?) throws { try link.acceptFile(file, holding: held, at: now) }
    func refuse(_ file: FileID, _ reason: FileCancel.Reason) throws {
        try link.refuseFile(file, reason: reason, at: now)
    }
    func confirm(_ file: FileID) throws { try link.confirmFile(file, at: now) }

    // What the app has taken says when it comes, and so can come late.
    func releaseCredit(_ credit: UInt64) {
        model.expire()
        link.releaseCredit(credit, at: now)
    }
    func releaseCredit(_ count: Int, of stream: StreamID) {
        model.expire()
        link.releaseCredit(count, of: stream, at: now)
    }
    func tookEnd(of stream: StreamID) {
        model.expire()
        link.tookEnd(of: stream, at: now)
    }
    func releaseCredit(_ count: Int, of file: FileID) {
        model.expire()
        link.releaseCredit(count, of: file, at: now)
    }
    func tookEnd(of file: FileID) {
        model.expire()
        link.tookEnd(of: file, at: now)
    }
}
