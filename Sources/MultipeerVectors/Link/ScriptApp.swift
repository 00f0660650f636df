internal import MultipeerCore
internal import MultipeerWire

/// The app of a script, as far as it has messages, streams and files: what it hears, and what it has not taken.
struct ScriptApp {
    var record = EventRecord()
    /// Whether it takes messages and files as soon as they come.
    private let takesAtOnce: Bool
    private var tags: [UInt64: (tag: JSONValue, message: MessageTag)] = [:]
    /// What the messages that it has not taken have used of their credit.
    private var untaken: [UInt64] = []
    private var streams: [UInt64: StreamID] = [:]
    private var files: [UInt64: FileID] = [:]
    private var latestStream: UInt64?
    /// The file that began last, of either peer: the one that a step without `file` is about.
    private var latestFile: UInt64?
    /// Local files, and how much of them is to be hashed.
    private var outgoing: [UInt64: UInt64] = [:]
    private var inbox: [UInt64: Inbox] = [:]
    /// What waits for credit of openings and offers.
    private var openings: [(name: String, credit: UInt64)] = []
    private var waitingOffers: [OutgoingOffer] = []

    /// What came of a stream, and was not taken.
    private struct Inbox {
        var bytes: [UInt8] = []
        /// STREAM_END came.
        var isComplete = false
    }

    init(takesAtOnce: Bool) { self.takesAtOnce = takesAtOnce }

    // MARK: Effects

    mutating func note(_ effect: LinkEffect, from target: some PayloadTarget) {
        switch effect {
        case .message(let bytes):
            record.note(effect)
            let credit = Link.messageCredit(ofLength: bytes.count)
            if takesAtOnce { target.releaseCredit(credit) } else { untaken.append(credit) }
        case .messages(let range, let result):
            for number in range.first.number...range.last.number {
                if let sent = tags.removeValue(forKey: number) { record.note(result, of: sent.tag) }
            }
        case .stream(let event): note(event, from: target)
        case .incomingFile(.offered(let offer)):
            files[offer.file.rawValue] = offer.file
            latestFile = offer.file.rawValue
            record.note(effect)
        case .incomingFile(.data(let file, let bytes)):
            record.note(effect)
            if takesAtOnce { target.releaseCredit(bytes.count, of: file) }
        case .incomingFile(.ended(let file, _, _)):
            record.note(effect)
            target.tookEnd(of: file)
        case .outgoingFile(.beginningWanted(let file, let length)):
            outgoing[file.rawValue] = length
            record.note(effect)
        case .outgoingFile(.accepted(let file)): record.noteAccepted(file, offset: outgoing[file.rawValue] ?? 0)
        default: record.note(effect)
        }
    }

    private mutating func note(_ event: StreamEvent, from target: some PayloadTarget) {
        switch event {
        case .opened(let stream, let name):
            adopt(stream)
            record.noteOpened(stream, name: name)
        case .data(let stream, let bytes): inbox[stream.rawValue, default: Inbox()].bytes += bytes
        case .ended(let stream, .complete):
            inbox[stream.rawValue, default: Inbox()].isComplete = true
            reportEnd(of: stream, to: target)
        case .ended(let stream, .reset(let code)):
            inbox[stream.rawValue] = nil
            record.noteEnded(stream, code: code)
            target.tookEnd(of: stream)
        // The link has ended, which says it for all streams. What came of such a direction is dropped (R13.5-6).
        case .ended(let stream, _): inbox[stream.rawValue] = nil
        case .stopped(let stream, let code?): record.noteStopped(stream, code: code)
        case .stopped, .writable, .mayOpen: break
        }
    }

    /// *Complete* follows the last byte (R15.6-7).
    private mutating func reportEnd(of stream: StreamID, to target: some PayloadTarget) {
        guard let box = inbox[stream.rawValue], box.isComplete, box.bytes.isEmpty else { return }
        inbox[stream.rawValue] = nil
        record.noteEnded(stream, code: nil)
        target.tookEnd(of: stream)
    }

    private mutating func adopt(_ stream: StreamID) {
        streams[stream.rawValue] = stream
        latestStream = stream.rawValue
    }

    // MARK: Requests

    /// Begins what had to wait for credit.
    mutating func begin(on target: some PayloadTarget) {
        while let next = openings.first, opens(next, on: target) { openings.removeFirst() }
        while let next = waitingOffers.first, offers(next, to: target) { waitingOffers.removeFirst() }
    }

    /// Whether the stream waits no more: it is open, or cannot be opened.
    private mutating func opens(_ next: (name: String, credit: UInt64), on target: some PayloadTarget) -> Bool {
        do throws(RequestError) {
            adopt(try target.openStream(named: next.name, credit: next.credit))
            return true
        } catch {
            return error != .tooManyStreams
        }
    }

    private mutating func offers(_ next: OutgoingOffer, to target: some PayloadTarget) -> Bool {
        do throws(RequestError) {
            let file = try target.offer(next)
            files[file.rawValue] = file
            outgoing[file.rawValue] = 0
            latestFile = file.rawValue
            return true
        } catch {
            return error != .tooManyFiles
        }
    }

    mutating func perform(_ request: PayloadRequest, on target: some PayloadTarget) throws(RequestError) {
        switch request {
        case .send(let message, let tag):
            do throws(RequestError) {
                let message = try target.send(message)
                if let tag { tags[message.number] = (tag, message) }
            } catch {
                // It is longer than the peer takes (SPEC §15.1).
                guard case .messageTooLong = error, let tag else { throw error }
                record.note(.notSent, of: tag)
            }
        case .take(let count):
            let taken = untaken.prefix(count)
            untaken.removeFirst(taken.count)
            target.releaseCredit(taken.reduce(0, +))
        case .takeBack(let tag):
            guard let sent = tags.values.first(where: { $0.tag == tag }) else { return }
            _ = target.takeBack(sent.message)
        case .openStream(let name, let credit):
            openings.append((name, credit))
            begin(on: target)
        case .offerFile(let offer):
            waitingOffers.append(offer)
            begin(on: target)
        case .write, .endStream, .resetStream, .stopStream, .takeStream: try performStream(request, on: target)
        default: try performFile(request, on: target)
        }
    }

    private mutating func performStream(
        _ request: PayloadRequest, on target: some PayloadTarget
    ) throws(RequestError) {
        switch request {
        case .write(let id, let bytes): try target.write(bytes, to: try stream(id))
        case .endStream(let id): try target.finish(try stream(id))
        case .resetStream(let id, let code): try target.reset(try stream(id), code: code)
        case .stopStream(let id, let code):
            let stream = try stream(id)
            try target.stop(stream, code: code)
            inbox[stream.rawValue] = nil
        case .takeStream(let id, let count):
            let stream = try stream(id)
            let taken = Array((inbox[stream.rawValue]?.bytes ?? []).prefix(count))
            guard !taken.isEmpty else { return }
            inbox[stream.rawValue]?.bytes.removeFirst(taken.count)
            record.noteData(stream, taken)
            target.releaseCredit(taken.count, of: stream)
            reportEnd(of: stream, to: target)
        default: break
        }
    }

    private mutating func performFile(
        _ request: PayloadRequest, on target: some PayloadTarget
    ) throws(RequestError) {
        switch request {
        case .supply(let id, let bytes): try target.supply(bytes, to: try file(id ?? latestFile))
        case .sourceHash(let id, let digest, let whole):
            let file = try file(id ?? latestFile)
            let beginning = HeldBeginning(
                length: outgoing[file.rawValue] ?? 0, digest: digest, digester: GivenDigester(whole))
            try target.submitBeginning(beginning, of: file)
        case .sourceChanged(let id): try target.cancel(try file(id ?? latestFile), .sourceChanged)
        case .acceptFile(let id, let acceptance):
            let held = acceptance.held.map {
                HeldBeginning(length: $0.length, digest: $0.digest, digester: GivenDigester($0.whole))
            }
            try target.accept(
                try file(id ?? latestFile), holding: held, credit: acceptance.credit, looks: acceptance.looks)
        case .consentFile(let id): try target.consent(to: try file(id ?? latestFile))
        case .takeFile(let id, let count): target.releaseCredit(count, of: try file(id ?? latestFile))
        case .confirmFile(let id): try target.confirm(try file(id ?? latestFile))
        case .refuseFile(let id, let reason), .cancelFile(let id, let reason):
            let file = try file(id ?? latestFile)
            if outgoing[file.rawValue] == nil {
                try target.refuse(file, reason)
            } else {
                try target.cancel(file, reason)
            }
        default: break
        }
    }

    private func stream(_ id: UInt64?) throws(RequestError) -> StreamID {
        guard let stream = (id ?? latestStream).flatMap({ streams[$0] }) else { throw .unknownStream }
        return stream
    }

    private func file(_ id: UInt64?) throws(RequestError) -> FileID {
        guard let file = id.flatMap({ files[$0] }) else { throw .unknownFile }
        return file
    }
}
