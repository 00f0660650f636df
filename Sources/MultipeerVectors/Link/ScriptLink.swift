internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerWire

/// This project's link behind the steps of a `LinkScript` (Vectors/README.md).
final class ScriptLink {
    private var link: Link
    private var now = Instant(nanoseconds: 0)
    private var pending = LinkPoll()
    private var record = EventRecord()
    private let crypto: SwiftCrypto
    /// What the last questions and files were, since steps speak of the latest.
    private var invitation: LinkToken?
    private var verdict: LinkToken?
    private var incoming: FileID?
    private var outgoing: FileID?

    init(params: Arguments, crypto: SwiftCrypto) throws(SubjectFault) {
        self.crypto = crypto
        guard let role = LinkRole(name: try params.text("role")),
            let name = try? DisplayName(String(decoding: try params.bytes("displayName"), as: UTF8.self))
        else { throw .badQuestion("params.role, params.displayName") }
        var configuration: LinkConfiguration
        do { configuration = try crypto.configuration(seed: try params.bytes("identitySeed"), name: name) } catch {
            throw .badQuestion("params.identitySeed")
        }
        let suites = params.has("suites") ? try params.numbers("suites") : [try params.number("suite")]
        configuration.suites = suites.compactMap { Suite(rawValue: UInt16(truncatingIfNeeded: $0)) }
        configuration.maximumMessage = UInt32(clamping: try params.number("maximumMessage"))
        configuration.sendsGrease = false
        if params.has("expectedPeer") {
            configuration.expectedPeer = try? IdentityKey(rawBytes: try params.bytes("expectedPeer"))
        }
        if params.has("showsNameTo") {
            let keys = try params.byteStrings("showsNameTo").compactMap { try? IdentityKey(rawBytes: $0) }
            configuration.showNameOnlyTo = Set(keys)
        }
        let random = ReplayedRandomness(
            try params.bytes("ephemeralPrivate") + (try params.bytes("sessionNonce")))
        link = Link(role: role, configuration: configuration, random: random, now: now)
        drain()
    }

    /// Takes a step whose actor is not `self`. What the app asks for at a wrong time changes nothing.
    func take(_ step: Arguments) throws(SubjectFault) {
        switch try step.text("actor") {
        case "peer":
            if step.has("end") {
                link.receiveEnd(at: now)
            } else {
                let bytes = try step.bytes("bytes")
                link.receive(bytes.span, at: now)
            }
        case "clock":
            let milliseconds = try step.number("advance")
            // Without timers a deadline is found by the input that comes after it (R18-2).
            if step.json["timers"]?.truth == false {
                now = now.advanced(by: .milliseconds(milliseconds))
                return
            }
            advance(by: milliseconds)
        case "app": try act(step)
        default: throw .badQuestion("step.actor")
        }
        drain()
    }

    /// What was sent and reported since the last poll.
    func poll() -> LinkPoll {
        drain()
        defer { pending = LinkPoll() }
        pending.deadline = link.deadline.map { Int($0.nanoseconds / 1_000_000) }
        pending.events = record.take()
        return pending
    }

    private func advance(by milliseconds: Int) {
        let target = now.advanced(by: .milliseconds(milliseconds))
        while let deadline = link.deadline, deadline <= target {
            now = max(now, deadline)
            link.timeout(at: now)
            drain()
        }
        now = target
    }

    private func drain() {
        while true {
            let before = pending.sends.count
            if link.hasOutput {
                pending.sends.append(addingCapacity: RecordHeader.maximumRecordLength) {
                    (output: inout OutputSpan<UInt8>) in link.transmit(into: &output, at: now)
                }
            }
            var isQuiet = pending.sends.count == before
            while let effect = link.nextEffect() {
                remember(effect)
                record.note(effect)
                isQuiet = false
            }
            if isQuiet { return }
        }
    }

    private func remember(_ effect: LinkEffect) {
        switch effect {
        case .invited(let token, _): invitation = token
        case .verify(let token, _): verdict = token
        case .incomingFile(.offered(let offer)): incoming = offer.file
        // The app of scripts takes everything at once.
        case .message(let bytes): link.took(credit: Link.messageCredit(ofLength: bytes.count), at: now)
        case .incomingFile(.data(let file, let bytes)): link.took(bytes.count, of: file, at: now)
        case .incomingFile(.ended(let file, _, _)): link.tookEnd(of: file, at: now)
        case .stream(.data(let stream, let bytes)): link.took(bytes.count, of: stream, at: now)
        case .stream(.ended(let stream, _)): link.tookEnd(of: stream, at: now)
        default: break
        }
    }

    private func act(_ step: Arguments) throws(SubjectFault) {
        let request = try AppRequest(step)
        do throws(RequestError) {
            try perform(request)
        } catch {
            // SPEC §10.5: what comes late changes nothing. The events show that it did not.
        }
    }

    /// A request about something that the link has not named is refused, but it is input all the same (R18-2).
    private func about<Subject>(
        _ subject: Subject?, _ body: (Subject) throws(RequestError) -> Void
    ) throws(RequestError) {
        guard let subject else { return link.timeout(at: now) }
        try body(subject)
    }

    private func perform(_ request: AppRequest) throws(RequestError) {
        switch request {
        case .invite(let invitation): try link.invite(invitation, at: now)
        case .cancelInvitation: try link.cancelInvitation(at: now)
        case .accept(let terms):
            try about(invitation) { (invitation) throws(RequestError) in
                try link.accept(invitation, with: terms, at: now)
            }
        case .decline(let reason):
            try about(invitation) { (invitation) throws(RequestError) in try link.decline(invitation, reason, at: now) }
        case .resolve(let answer):
            try about(verdict) { (verdict) throws(RequestError) in try link.submitVerdict(answer, for: verdict, at: now)
            }
        case .send(let message): try link.send(message, at: now)
        case .offerFile(let name, let size): outgoing = try link.offerFile(name: name, size: size, at: now)
        case .supply(let bytes):
            try about(outgoing) { (outgoing) throws(RequestError) in try link.supply(bytes, to: outgoing, at: now) }
        case .acceptFile:
            try about(incoming) { (incoming) throws(RequestError) in try link.acceptFile(incoming, at: now) }
        case .refuseFile(let reason):
            try about(incoming) { (incoming) throws(RequestError) in
                try link.refuseFile(incoming, reason: reason, at: now)
            }
        case .confirmFile:
            try about(incoming) { (incoming) throws(RequestError) in try link.confirmFile(incoming, at: now) }
        case .cancelFile(let reason):
            try about(outgoing) { (outgoing) throws(RequestError) in
                try link.cancelFile(outgoing, reason: reason, at: now)
            }
        case .rekey: try link.rekey(at: now)
        case .export(let label, let context, let length):
            record.noteExport(try link.export(label: label, context: context, length: length, at: now))
        case .close(nil): link.close(at: now)
        case .close(let code?): link.close(code, at: now)
        }
    }
}
