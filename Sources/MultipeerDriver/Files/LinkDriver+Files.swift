public import MultipeerCore
import MultipeerWire

/// A file that is being sent, and the source of its bytes.
struct SourcedFile {
    let id: FileID
    let source: any FileSource
    /// The greatest number of bytes that the link has asked for, until it has them.
    var wanted: Int?
}

extension LinkDriver {
    /// Offers a file whose bytes come from `source`. It has the events of any other file, except for `wanted`.
    public func offerFile(
        name: String, size: UInt64, from source: any FileSource, at now: Instant
    ) throws(RequestError) -> FileID {
        queueAcceptedMessages(at: now)  // what was sent before comes before
        let id = try link.offerFile(name: name, size: size, at: now)
        sourcedFile = SourcedFile(id: id, source: source)
        return id
    }

    /// Records what happens to the file of the source. Returns whether the event is for the source and not for the app.
    func isForSource(_ event: OutgoingFileEvent) -> Bool {
        guard let file = sourcedFile else { return false }
        switch event {
        case .wanted(file.id, _, let maximum):
            sourcedFile?.wanted = maximum
            return true
        case .delivered(file.id, _), .ended(file.id, _, _):
            dropSource()
            return false
        case .accepted, .wanted, .delivered, .ended:
            return false
        }
    }

    /// Supplies the chunk that the link has asked for, if the source has it.
    func supplyFile(at now: Instant) {
        guard let file = sourcedFile, let maximum = file.wanted else { return }
        switch file.source.next(atMost: maximum, whenReady: onWake ?? {}) {
        case .chunk(let bytes): supply(bytes, to: file.id, at: now)
        case .notReady: break
        case .failed: cancel(file.id, at: now)
        }
    }

    private func supply(_ bytes: [UInt8], to file: FileID, at now: Instant) {
        do throws(RequestError) {
            try link.supply(bytes, to: file, at: now)
            sourcedFile?.wanted = nil
        } catch {
            // A chunk of a wrong length is a fault of the source. If the link has ended, it has reported that.
            cancel(file, at: now)
        }
    }

    private func cancel(_ file: FileID, at now: Instant) {
        dropSource()
        try? link.cancelFile(file, reason: .sourceFailed, at: now)
        deliverEvents()
    }

    func dropSource() {
        sourcedFile?.source.stop()
        sourcedFile = nil
    }
}
