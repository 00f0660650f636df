public import MultipeerCore
import MultipeerWire

/// A file that is being sent, and the source of its bytes.
struct SourcedFile {
    /// What the link has asked for, until it has it.
    enum Need {
        /// The hash of the first bytes, as many.
        case beginning(UInt64)
        /// The bytes from an offset on, at most as many.
        case bytes(offset: UInt64, Int)
    }

    let source: any FileSource
    /// The size of the file.
    let size: UInt64
    var need: Need?
    /// How far it had been sent, and when, as the peer last did enough: granted credit, took bytes. Nil while it may take its time to
    /// answer the offer.
    var mark: (position: UInt64, time: Instant)?
    /// Since when the source is asked for what the link needs. That time is the source's, and not the peer's.
    var asksSince: Instant?
}

extension LinkDriver {
    /// Offers a file whose bytes come from `source`. It has the events of any other file, except for `wanted` and
    /// `beginningWanted`.
    public func offerFile(
        _ offer: OutgoingOffer, from source: any FileSource, at now: Instant
    ) throws(RequestError) -> FileID {
        queueAcceptedMessages(at: now)  // what was sent before comes before
        let id = try link.offerFile(offer, at: now)
        context.sources[id] = SourcedFile(source: source, size: offer.size)
        return id
    }

    /// The same for a file that cannot be resumed. `name` has 1–255 bytes of UTF-8, and `size` is in bytes.
    public func offerFile(
        name: String, size: UInt64, from source: any FileSource, at now: Instant
    ) throws(RequestError) -> FileID {
        try offerFile(OutgoingOffer(name: name, size: size), from: source, at: now)
    }

    /// Records what happens to the file of a source. Returns whether the event is for the source and not for the app.
    func isForSource(_ event: OutgoingFileEvent, at now: Instant) -> Bool {
        switch event {
        case .wanted(let file, let offset, let maximum):
            return ask(for: .bytes(offset: offset, maximum), of: file, at: now)
        case .beginningWanted(let file, let length): return ask(for: .beginning(length), of: file, at: now)
        case .delivered(let file, _), .ended(let file, _, _):
            dropSource(of: file)
            return false
        case .accepted(let file):
            noteProgress(of: file, at: now)
            return false
        case .renamed, .kept: return false
        }
    }

    private func ask(for need: SourcedFile.Need, of file: FileID, at now: Instant) -> Bool {
        guard context.sources[file] != nil else { return false }
        context.sources[file]?.need = need
        context.sources[file]?.asksSince = now
        context.wantingSources.append(file)
        return true
    }

    /// Supplies what the link has asked for, as far as the sources have it.
    func supplyFiles(at now: Instant) {
        var waiting: [FileID] = []
        // What is supplied can make the link ask for more, such as the bytes after a beginning.
        while !context.wantingSources.isEmpty {
            let round = context.wantingSources
            context.wantingSources = []
            waiting += round.filter { !supply($0, at: now) }
            deliverEvents(at: now)
        }
        context.wantingSources = waiting
    }

    /// Supplies one file. Returns false if its source has nothing yet.
    private func supply(_ file: FileID, at now: Instant) -> Bool {
        guard let entry = context.sources[file], let need = entry.need else { return true }
        switch need {
        case .bytes(let offset, let maximum):
            return supplyBytes(of: file, entry.source, from: offset, atMost: maximum, at: now)
        case .beginning(let length): return supplyBeginning(of: file, entry.source, length: length, at: now)
        }
    }

    private func supplyBytes(
        of file: FileID, _ source: any FileSource, from offset: UInt64, atMost maximum: Int, at now: Instant
    ) -> Bool {
        switch source.next(from: offset, atMost: maximum, whenReady: { [wake = context.wake] in wake() }) {
        case .chunk(let bytes):
            // A chunk of a wrong length is a fault of the source. If the link has ended, it has reported that.
            submit(file, at: now) { (link) throws(RequestError) in try link.supply(bytes, to: file, at: now) }
        case .notReady: return false
        case .failed(let reason): cancel(file, reason, at: now)
        }
        return true
    }

    private func supplyBeginning(
        of file: FileID, _ source: any FileSource, length: UInt64, at now: Instant
    ) -> Bool {
        switch source.beginning(ofLength: length, whenReady: { [wake = context.wake] in wake() }) {
        case .hashed(let beginning):
            submit(file, at: now) { (link) throws(RequestError) in
                try link.submitBeginning(beginning, of: file, at: now)
            }
        case .notReady: return false
        case .failed(let reason): cancel(file, reason, at: now)
        }
        return true
    }

    private func submit(_ file: FileID, at now: Instant, _ request: (inout Link) throws(RequestError) -> Void) {
        context.sources[file]?.need = nil
        endAsking(of: file, at: now)
        do throws(RequestError) {
            try request(&link)
        } catch {
            cancel(file, .sourceFailed, at: now)
        }
    }

    private func cancel(_ file: FileID, _ reason: FileCancel.Reason, at now: Instant) {
        dropSource(of: file)
        try? link.cancelFile(file, reason: reason, at: now)
        deliverEvents(at: now)
    }

    // MARK: Stalled files

    /// How much longer the peer may take to store a file than to take a part of it. A slow disk, or a folder of many files, needs minutes;
    /// a peer that is gone is noticed by keep-alive.
    private static let storingFactor = 10

    /// How much has to go within the time, unless all has gone: a peer that takes a byte now and then makes no progress.
    private static let leastProgress: UInt64 = 16_384

    private var stalledFileDeadline: Instant? {
        context.sources.compactMap { stallDeadline(of: $0.key, $0.value) }.min()
    }

    /// When the peer has had its time to continue with a file; nil if it need not.
    private func stallDeadline(of file: FileID, _ entry: SourcedFile) -> Instant? {
        guard let stallTimeout, let mark = entry.mark, entry.asksSince == nil else { return nil }
        let isSent = sentPosition(of: file) == entry.size
        return mark.time.advanced(by: isSent ? stallTimeout * Self.storingFactor : stallTimeout)
    }

    /// Looks at the files at the end of a drain. The time to look again moves only when it is reached, so that progress costs
    /// no timer.
    func noteWaitingFiles(at now: Instant) {
        for (file, entry) in context.sources where hasProgress(file, entry) { noteProgress(of: file, at: now) }
        if fileWatchDue == nil, !context.sources.isEmpty { fileWatchDue = stalledFileDeadline }
    }

    /// Cancels the files that have waited too long for the peer (SPEC §15.3). Returns whether there were any.
    func cancelStalledFiles(at now: Instant) -> Bool {
        guard let due = fileWatchDue, now >= due else { return false }
        fileWatchDue = nil
        let stalled = context.sources.filter { (file, entry) in
            stallDeadline(of: file, entry).map { $0 <= now } ?? false
        }
        for file in stalled.keys { cancel(file, .stalled, at: now) }
        return !stalled.isEmpty
    }

    private func hasProgress(_ file: FileID, _ entry: SourcedFile) -> Bool {
        let position = sentPosition(of: file)
        guard let mark = entry.mark, position > mark.position else { return false }
        return position == entry.size || position - mark.position >= Self.leastProgress
    }

    private func noteProgress(of file: FileID, at now: Instant) {
        context.sources[file]?.mark = (sentPosition(of: file), now)
    }

    /// The source has supplied what was asked for.
    private func endAsking(of file: FileID, at now: Instant) {
        guard let entry = context.sources[file] else { return }
        context.sources[file]?.asksSince = nil
        guard let mark = entry.mark, let since = entry.asksSince else { return noteProgress(of: file, at: now) }
        context.sources[file]?.mark = (mark.position, mark.time.advanced(by: now.duration(since: since)))
    }

    private func sentPosition(of file: FileID) -> UInt64 { link.sentPosition(of: file) ?? 0 }

    private func dropSource(of file: FileID) { context.sources.removeValue(forKey: file)?.source.stop() }

    /// The link continues the association of another one. The time in between is not the peer's.
    func noteFilesGoOn(at now: Instant) {
        for (file, entry) in context.sources where entry.mark != nil { noteProgress(of: file, at: now) }
    }
}
