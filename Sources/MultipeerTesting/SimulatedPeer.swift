public import MultipeerCertificates
public import MultipeerCore
import MultipeerCrypto
public import MultipeerWire

/// A link with an app that decides by script, and a memory of all effects.
public struct SimulatedPeer: ~Copyable {
    /// What the app does when it is asked. Nil: nothing, so that deadlines can be tested.
    public struct Script: Sendable {
        /// Accepts invitations with these terms.
        public var terms: SessionTerms?
        /// Judges peers so.
        public var verdict: Verdict?
        /// Answers the peer's code with the one that is shown, or says that there is none.
        public var answersCodes = true
        /// The code that is shown.
        public var shownCode: PresentedCode?
        /// Takes messages as soon as they come, so that the peer gets new credit.
        public var takesMessages = true
        /// Takes bytes and ends of streams as soon as they come.
        public var takesStreams = true
        /// Takes bytes of files as soon as they come.
        public var takesFileBytes = true
        /// Gives memory that a message wants.
        public var grantsMemory = true
        /// Accepts offered files.
        public var takesFiles = true
        /// Confirms files that are complete.
        public var confirmsFiles = true
        /// Supplies ``file`` when bytes of it are wanted.
        public var suppliesFiles = true
        /// Supplies these bytes when a file is wanted.
        public var file: [UInt8] = []

        /// Accepts everything, without encryption being required.
        public init(
            terms: SessionTerms? = SessionTerms(encryption: .optional),
            verdict: Verdict? = .accepted(.unverified)
        ) {
            self.terms = terms
            self.verdict = verdict
        }

        /// Does nothing by itself.
        public static var passive: Script {
            var script = Script(terms: nil, verdict: nil)
            (script.takesFiles, script.suppliesFiles, script.confirmsFiles) = (false, false, false)
            script.answersCodes = false
            return script
        }
    }

    /// The link.
    public var link: Link
    /// The app's mind.
    public var script: Script
    /// Every effect so far, traces apart.
    public private(set) var effects: [LinkEffect] = []
    /// Every trace so far.
    public private(set) var traces: [TraceEntry] = []
    /// Files that were received, whole.
    public private(set) var files: [[UInt8]] = []
    private var filesUnderWay: [FileID: [UInt8]] = [:]

    /// Joins a link and a script.
    public init(link: consuming Link, script: Script = Script()) {
        self.link = link
        self.script = script
    }

    /// All bytes that the link wants to send.
    public mutating func transmit(at now: Instant) -> [UInt8] {
        var bytes: [UInt8] = []
        while link.hasOutput {
            let before = bytes.count
            bytes.append(addingCapacity: RecordHeader.maximumRecordLength) { (output: inout OutputSpan<UInt8>) in
                link.transmit(into: &output, at: now)
            }
            if bytes.count == before { break }
        }
        return bytes
    }

    /// Drains the effects, and does what the script says about them.
    public mutating func drain(at now: Instant) {
        while let effect = link.nextEffect() {
            if case .trace(let entry) = effect {
                traces.append(entry)
            } else {
                effects.append(effect)
                react(to: effect, at: now)
            }
        }
    }

    /// The end, if it has come.
    public var end: LinkEnd? {
        for case .closed(let end) in effects { return end }
        return nil
    }

    /// The failure, if the link failed.
    public var failure: LinkFailure? {
        if case .failed(let failure) = end { failure } else { nil }
    }

    /// What the open session is, if it opened.
    public var summary: LinkSummary? {
        for case .opened(let summary) in effects { return summary }
        return nil
    }

    /// The messages that came.
    public var messages: [[UInt8]] {
        effects.compactMap { effect in
            if case .message(let message) = effect { message } else { nil }
        }
    }

    /// What happened about codes and short strings.
    public var verifications: [VerificationEvent] {
        effects.compactMap { effect in
            if case .verification(let event) = effect { event } else { nil }
        }
    }

    /// A misuse by the script is a failed test; it is recorded here rather than trapped.
    public private(set) var misuses: [RequestError] = []

    private mutating func react(to effect: LinkEffect, at now: Instant) {
        do throws(RequestError) {
            switch effect {
            case .invited(let token, _):
                if let terms = script.terms { try link.accept(token, with: terms, at: now) }
            case .verify(let token, _):
                if let verdict = script.verdict { try link.submitVerdict(verdict, for: token, at: now) }
            case .incomingFile(let event): try react(to: event, at: now)
            case .stream(let event) where script.takesStreams: react(to: event, at: now)
            case .outgoingFile(.wanted(let file, let offset, let maximum)) where script.suppliesFiles:
                let rest = script.file.dropFirst(Int(offset)).prefix(maximum)
                try link.supply(Array(rest), to: file, at: now)
            case .message(let message) where script.takesMessages:
                link.releaseCredit(Link.messageCredit(ofLength: message.count), at: now)
            case .verification(.codeWanted(let token, let number)) where script.answersCodes:
                let code = script.shownCode.flatMap { $0.code.number == number ? $0 : nil }
                try link.answerCode(token, with: code, at: now)
            case .memoryWanted(let count) where script.grantsMemory: link.grantMemory(count, at: now)
            case .identified, .invitationAccepted, .probeAnswered, .datagramPath, .datagram, .verification, .opened,
                .message,
                .messages,
                .memoryWanted,
                .memoryReturned, .messageStalled, .outgoingFile, .stream, .closed, .trace:
                break
            }
        } catch {
            misuses.append(error)
        }
    }

    private mutating func react(to event: StreamEvent, at now: Instant) {
        switch event {
        case .data(let stream, let bytes): link.releaseCredit(bytes.count, of: stream, at: now)
        case .ended(let stream, _): link.tookEnd(of: stream, at: now)
        case .opened, .stopped, .writable, .mayOpen: break
        }
    }

    private mutating func react(to event: IncomingFileEvent, at now: Instant) throws(RequestError) {
        switch event {
        case .offered(let offer):
            filesUnderWay[offer.file] = []
            if script.takesFiles { try link.acceptFile(offer.file, at: now) }
        case .data(let file, let bytes):
            filesUnderWay[file]? += bytes
            if script.takesFileBytes { link.releaseCredit(bytes.count, of: file, at: now) }
        case .complete(let file, _):
            files.append(filesUnderWay.removeValue(forKey: file) ?? [])
            if script.confirmsFiles { try link.confirmFile(file, at: now) }
        case .ended(let file, _, _):
            filesUnderWay[file] = nil
            link.tookEnd(of: file, at: now)
        }
    }
}
