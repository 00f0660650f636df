@_spi(Observation) internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerWire

/// This project's link driven by the steps of a `LinkScript` (Vectors/README.md).
final class ScriptLink {
    private var link: Link
    private var now = Instant(nanoseconds: 0)
    private var pending = LinkPoll()
    private var app = ScriptApp(takesAtOnce: true)
    /// What the app remembers of codes (SPEC §25).
    private var codes = VerificationAccess()
    private var peer: IdentityKey?
    private let crypto: SwiftCrypto
    /// What the last questions and files were, since steps speak of the latest.
    private var invitation: LinkToken?
    private var verdict: LinkToken?

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
        if params.has("kemCiphertext") {
            do {
                configuration.crypto = try PresetEncapsulation.provider(
                    crypto.provider, ciphertext: try params.bytes("kemCiphertext"),
                    secret: try params.bytes("kemSecret"))
            } catch let fault as SubjectFault {
                throw fault
            } catch {
                throw .badQuestion("params.kemCiphertext")
            }
        }
        configuration.maximumMessage = UInt32(clamping: try params.number("maximumMessage"))
        configuration.sendsGrease = false
        configuration.timeouts.keepAlive = try KeepAliveTimes(params)
        if params.has("expectedPeer") {
            configuration.expectedPeer = try? IdentityKey(rawBytes: try params.bytes("expectedPeer"))
        }
        if params.has("showsNameTo") {
            let keys = try params.byteStrings("showsNameTo").compactMap { try? IdentityKey(rawBytes: $0) }
            configuration.showNameOnlyTo = Set(keys)
        }
        if params.has("features") {
            (configuration.offersVerification, configuration.offersDatagrams) = try Self.listed(
                try params.numbers("features"))
        }
        link = Link(role: role, configuration: configuration, random: try Self.randomness(params), now: now)
        if params.has("datagramPort") {
            link.takeDatagrams(at: UInt16(truncatingIfNeeded: try params.number("datagramPort")), now: now)
        } else if role == .initiator {
            // Nobody hears an initiator's.
            link.takeDatagrams(at: 1_024, now: now)
        }
        drain()
    }

    private static func listed(
        _ features: [Int]
    ) throws(SubjectFault) -> (verification: Bool, datagrams: Bool) {
        let known = features.compactMap { Feature(rawValue: UInt16(truncatingIfNeeded: $0)) }
        guard known.map({ Int($0.rawValue) }) == features, features == features.sorted() else {
            throw .badQuestion("params.features")
        }
        return (known.contains(.verification), known.contains(.datagrams))
    }

    /// The ephemeral keys, and then what is drawn for SPEC §25 and for a charter, in the order of the frames.
    private static func randomness(_ params: Arguments) throws(SubjectFault) -> ReplayedRandomness {
        let drawn = params.has("random") ? try params.byteStrings("random") : [try params.bytes("sessionNonce")]
        let seed = params.has("kemSeed") ? try params.bytes("kemSeed") : []
        return ReplayedRandomness(try params.bytes("ephemeralPrivate") + seed + drawn.flatMap(\.self))
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
        pending.events = app.record.take()
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
                app.note(effect, from: self)
                isQuiet = false
            }
            app.begin(on: self)
            if isQuiet { return }
        }
    }

    private func remember(_ effect: LinkEffect) {
        switch effect {
        case .identified(let peer): self.peer = peer.key
        case .invited(let token, _): invitation = token
        case .verify(let token, _): verdict = token
        case .verification(let event): heed(event)
        case .closed: codes.ended()
        default: break
        }
    }

    /// What the app does about an event of SPEC §25, as ``Node`` does it.
    private func heed(_ event: VerificationEvent) {
        codes.note(event, at: now)
        switch event {
        case .codeWanted(let token, let number):
            // A link that has ended meanwhile needs no answer.
            try? link.answerCode(token, with: codes.begin(number: number, at: now), at: now)
        case .codeVerified: if let peer { app.record.noteVerified(peer) }
        case .codeBurned, .codeAbandoned, .codeVoid, .comparisonWanted, .shortString: break
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

    /// A request about a question that was not asked is refused, but it is input all the same (R18-2).
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
        case .payload(let request):
            // A request about what the link has not named is input, too (R18-2).
            link.timeout(at: now)
            try app.perform(request, on: self)
        case .verification(let request): try verify(request)
        case .rekey: try link.rekey(at: now)
        case .useDatagrams: link.useDatagrams(at: now)
        case .export(let label, let context, let length):
            app.record.noteExport(try link.export(label: label, context: context, length: length, at: now))
        case .close(nil): link.close(at: now)
        case .close(let code?): link.close(code, at: now)
        }
    }
}

extension ScriptLink {
    /// What an app asks of SPEC §25, and what happens on its other links.
    private func verify(_ request: VerificationRequest) throws(RequestError) {
        switch request {
        case .showCode(let code): codes.show(code, at: now)
        case .hideCode: codes.hide()
        case .giveCode(let code):
            guard let code, codes.mayGive(code, at: now) else { return link.timeout(at: now) }
            try link.giveCode(code, at: now)
            codes.give(code)
        case .compareStrings: try link.compareStrings(at: now)
        case .otherBegins: codes.otherBegins(at: now)
        case .otherConfirms: codes.otherConfirms(at: now)
        case .otherEnds: codes.otherEnds()
        case .otherGives(let code): codes.otherGives(code, at: now)
        case .otherBurns: codes.otherBurns(at: now)
        }
    }
}

extension ScriptLink: PayloadTarget {
    func send(_ message: [UInt8]) throws(RequestError) -> MessageTag { try link.send(message, at: now) }
    func takeBack(_ message: MessageTag) -> Bool { link.takeBack(message, at: now) }
    func releaseCredit(_ credit: UInt64) { link.releaseCredit(credit, at: now) }

    func openStream(named name: String, credit: UInt64) throws(RequestError) -> StreamID {
        try link.openStream(named: name, credit: credit, at: now)
    }
    func write(_ bytes: [UInt8], to stream: StreamID) throws(RequestError) {
        try link.write(bytes, to: stream, at: now)
    }
    func finish(_ stream: StreamID) throws(RequestError) { try link.finishStream(stream, at: now) }
    func reset(_ stream: StreamID, code: UInt64) throws(RequestError) {
        try link.resetStream(stream, code: code, at: now)
    }
    func stop(_ stream: StreamID, code: UInt64) throws(RequestError) {
        try link.stopStream(stream, code: code, at: now)
    }
    func releaseCredit(_ count: Int, of stream: StreamID) { link.releaseCredit(count, of: stream, at: now) }
    func tookEnd(of stream: StreamID) { link.tookEnd(of: stream, at: now) }

    func offer(_ offer: OutgoingOffer) throws(RequestError) -> FileID { try link.offerFile(offer, at: now) }
    func submitBeginning(_ beginning: HeldBeginning, of file: FileID) throws(RequestError) {
        try link.submitBeginning(beginning, of: file, at: now)
    }
    func supply(_ chunk: [UInt8], to file: FileID) throws(RequestError) { try link.supply(chunk, to: file, at: now) }
    func cancel(_ file: FileID, _ reason: FileCancel.Reason) throws(RequestError) {
        try link.cancelFile(file, reason: reason, at: now)
    }
    func accept(
        _ file: FileID, holding held: HeldBeginning?, credit: UInt64?, looks: Bool
    ) throws(RequestError) {
        try link.acceptFile(file, holding: held, credit: credit, looks: looks, at: now)
    }
    func consent(to file: FileID) throws(RequestError) { try link.consentToFile(file, at: now) }
    func refuse(_ file: FileID, _ reason: FileCancel.Reason) throws(RequestError) {
        try link.refuseFile(file, reason: reason, at: now)
    }
    func confirm(_ file: FileID) throws(RequestError) { try link.confirmFile(file, at: now) }
    func releaseCredit(_ count: Int, of file: FileID) { link.releaseCredit(count, of: file, at: now) }
    func tookEnd(of file: FileID) { link.tookEnd(of: file, at: now) }
}
