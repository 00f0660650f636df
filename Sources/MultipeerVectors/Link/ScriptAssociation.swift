@_spi(Observation) internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerWire

/// This project's association driven by the steps of an `AssociationScript` (Vectors/README.md).
final class ScriptAssociation {
    private let access: AssociationAccess
    private var app = ScriptApp(takesAtOnce: false)
    private var now = Instant(nanoseconds: 0)
    private var hasFailed = false
    /// Whether no link carries it.
    private var isParked = false

    init(params: Arguments, crypto: SwiftCrypto) throws(SubjectFault) {
        guard let hasLesserKey = params.json["lesser"]?.truth else { throw .badQuestion("params.lesser") }
        access = AssociationAccess(
            hasLesserKey: hasLesserKey, maximumMessage: UInt64(try params.number("maximumMessage")),
            peerMaximumMessage: params.has("peerMaximum") ? UInt64(try params.number("peerMaximum")) : 0xFFFF_FFFF,
            keepAlive: try KeepAliveTimes(params), digest: crypto.provider.bulkDigest,
            mayResume: params.json["keeps"]?.truth == true, now: now)
    }

    /// Takes a step whose actor is not `self`. After a fault nothing happens any more.
    func take(_ step: Arguments) throws(SubjectFault) {
        guard !hasFailed else { return }
        switch try step.text("actor") {
        case "peer": try receive(step)
        case "link": try changeLink(step)
        case "clock": advance(by: try step.number("advance"))
        case "app":
            if try step.text("do") == "close" {
                access.abandon()
            } else {
                guard let request = try PayloadRequest(step) else { throw .badQuestion("step.do") }
                // What comes at a wrong time changes nothing.
                for _ in 0..<(step.has("times") ? try step.number("times") : 1) {
                    do throws(RequestError) { try app.perform(request, on: self) } catch {}
                }
            }
        default: throw .badQuestion("step.actor")
        }
        drain()
    }

    private func receive(_ step: Arguments) throws(SubjectFault) {
        guard !step.has("end") else { return access.end() }
        guard let type = FrameNames.type(of: try step.text("frame")) else { throw .badQuestion("step.frame") }
        let frame = FrameNames.frame(type, try step.filled("payload"))
        attempt { () throws(LinkFailureCause) in try access.receive(frame, at: now) }
    }

    /// The link is lost, or another one continues the association.
    private func changeLink(_ step: Arguments) throws(SubjectFault) {
        if step.json["lost"]?.truth == true {
            isParked = true
            let (received, files) = access.park()
            app.record.noteParked(received: received, files: files)
            return
        }
        let said = try step.object("resumed")
        var files: [FilePosition] = []
        for file in try said.objects("files") {
            files.append(FilePosition(id: try file.wide("id"), offset: try file.wide("offset")))
        }
        let received = try said.wide("received")
        isParked = false
        attempt { () throws(LinkFailureCause) in try access.resume(after: received, files: files, at: now) }
    }

    private func advance(by milliseconds: Int) {
        let target = now.advanced(by: .milliseconds(milliseconds))
        while !hasFailed, let deadline = access.deadline, deadline <= target {
            now = max(now, deadline)
            attempt { () throws(LinkFailureCause) in try access.timeout(at: now) }
            drain()
            // What is due has to be written before the next one is.
            if access.deadline == deadline { break }
        }
        now = target
    }

    private func attempt(_ body: () throws(LinkFailureCause) -> Void) {
        do throws(LinkFailureCause) {
            try body()
        } catch {
            drain()
            hasFailed = true
            app.record.noteFailure(ReportedOutcome(LinkFailure(stage: .open, cause: error)).code)
        }
    }

    private func drain() {
        while !hasFailed, let effect = access.nextEffect() { app.note(effect, from: self) }
        if !hasFailed { app.begin(on: self) }
    }

    /// Frames and events since the last poll. `sends` has the frames, one after the other.
    func poll() -> LinkPoll {
        var poll = LinkPoll()
        if !hasFailed, !isParked {
            poll.sends = access.takeFrames(at: now)
            drain()
        }
        poll.deadline = access.deadline.map { Int($0.nanoseconds / 1_000_000) }
        poll.events = app.record.take()
        return poll
    }
}

extension ScriptAssociation: PayloadTarget {
    func send(_ message: [UInt8]) throws(RequestError) -> MessageTag { try access.send(message) }
    func takeBack(_ message: MessageTag) -> Bool { access.takeBack(message) }
    func releaseCredit(_ credit: UInt64) { access.releaseCredit(credit, at: now) }

    func openStream(named name: String, credit: UInt64) throws(RequestError) -> StreamID {
        try access.openStream(named: name, credit: credit)
    }
    func write(_ bytes: [UInt8], to stream: StreamID) throws(RequestError) { try access.write(bytes, to: stream) }
    func finish(_ stream: StreamID) throws(RequestError) { try access.finish(stream) }
    func reset(_ stream: StreamID, code: UInt64) throws(RequestError) { try access.reset(stream, code: code) }
    func stop(_ stream: StreamID, code: UInt64) throws(RequestError) { try access.stop(stream, code: code) }
    func releaseCredit(_ count: Int, of stream: StreamID) { access.releaseCredit(count, of: stream) }
    func tookEnd(of stream: StreamID) { access.tookEnd(of: stream) }

    func offer(_ offer: OutgoingOffer) throws(RequestError) -> FileID { try access.offer(offer) }
    func submitBeginning(_ beginning: HeldBeginning, of file: FileID) throws(RequestError) {
        try access.submitBeginning(beginning, of: file)
    }
    func supply(_ chunk: [UInt8], to file: FileID) throws(RequestError) { try access.supply(chunk, to: file) }
    func cancel(_ file: FileID, _ reason: FileCancel.Reason) throws(RequestError) {
        try access.cancel(file, reason)
    }
    func accept(
        _ file: FileID, holding held: HeldBeginning?, credit: UInt64?, looks: Bool
    ) throws(RequestError) {
        try access.accept(file, holding: held, credit: credit, looks: looks)
    }
    func consent(to file: FileID) throws(RequestError) { try access.consent(to: file) }
    func refuse(_ file: FileID, _ reason: FileCancel.Reason) throws(RequestError) { try access.refuse(file, reason) }
    func confirm(_ file: FileID) throws(RequestError) { try access.confirm(file) }
    func releaseCredit(_ count: Int, of file: FileID) { access.releaseCredit(count, of: file) }
    func tookEnd(of file: FileID) { access.tookEnd(of: file) }
}

extension KeepAliveTimes {
    /// Those of `params.keepAlive`, in milliseconds; nil without it.
    init?(_ params: Arguments) throws(SubjectFault) {
        guard params.has("keepAlive") else { return nil }
        let times = try params.object("keepAlive")
        self.init(
            ping: .milliseconds(try times.number("ping")),
            silence: times.has("silent") ? .milliseconds(try times.number("silent")) : nil)
    }
}
