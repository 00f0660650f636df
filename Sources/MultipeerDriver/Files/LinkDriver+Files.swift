public import MultipeerCore
import MultipeerWire

/// A file that is being sent, and the source of its bytes.
struct SourcedFile {
    let source: any FileSource
    /// The greatest number of bytes that the link has asked for, until it has them.
    var wanted: Int?
}

extension LinkDriver {
    /// Offers a file whose bytes come from `source`. It has the events of any other file, except for `wanted`.
    public func offerFile(
        _ offer: OutgoingOffer, from source: any FileSource, at now: Instant
    ) throws(RequestError) -> FileID {
        queueAcceptedMessages(at: now)  // what was sent before comes before
        let id = try link.offerFile(offer, at: now)
        sources[id] = SourcedFile(source: source)
        return id
    }

    /// The same for a file that cannot be resumed. `name` has 1–255 bytes of UTF-8, and `size` is in bytes.
    public func offerFile(
        name: String, size: UInt64, from source: any FileSource, at now: Instant
    ) throws(RequestError) -> FileID {
        try offerFile(OutgoingOffer(name: name, size: size), from: source, at: now)
    }

    /// Records what happens to the file of a source. Returns whether the event is for the source and not for the app.
    func isForSource(_ event: OutgoingFileEvent) -> Bool {
        switch event {
        case .wanted(let file, _, let maximum):
            guard sources[file] != nil else { return false }
            sources[file]?.wanted = maximum
            wantingSources.append(file)
            return true
        case .delivered(let file, _), .ended(let file, _, _):
            dropSource(of: file)
            return false
        case .accepted, .beginningWanted: return false
        }
    }

    /// Supplies the chunks that the link has asked for, as far as their sources have them.
    func supplyFiles(at now: Instant) {
        for file in wantingSources {
            guard let entry = sources[file], let maximum = entry.wanted else { continue }
            switch entry.source.next(atMost: maximum, whenReady: onWake ?? {}) {
            case .chunk(let bytes): supply(bytes, to: file, at: now)
            case .notReady: break
            case .failed: cancel(file, at: now)
            }
        }
        wantingSources.removeAll { sources[$0]?.wanted == nil }
    }

    private func supply(_ bytes: [UInt8], to file: FileID, at now: Instant) {
        do throws(RequestError) {
            try link.supply(bytes, to: file, at: now)
            sources[file]?.wanted = nil
        } catch {
            // A chunk of a wrong length is a fault of the source. If the link has ended, it has reported that.
            cancel(file, at: now)
        }
    }

    private func cancel(_ file: FileID, at now: Instant) {
        dropSource(of: file)
        try? link.cancelFile(file, reason: .sourceFailed, at: now)
        deliverEvents()
    }

    private func dropSource(of file: FileID) { sources.removeValue(forKey: file)?.source.stop() }

    func dropSources() {
        for entry in sources.values { entry.source.stop() }
        sources = [:]
        wantingSources = []
    }
}
