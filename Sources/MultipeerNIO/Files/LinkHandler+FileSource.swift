import MultipeerCore
import MultipeerWire
import NIOCore

/// A file that is on its way out, and where its bytes come from.
struct SourcedFile {
    let id: FileID
    let source: any FileSource
    /// The most bytes that the link asked for, while the source has none.
    var wanted: Int?
}

extension LinkHandler {
    func offerFile(name: String, size: UInt64, from source: any FileSource) -> Result<FileID, RequestError> {
        defer { settle() }
        takeMail()  // what was sent before comes before
        do throws(RequestError) {
            let id = try link.offerFile(name: name, size: size, at: now)
            sourcedFile = SourcedFile(id: id, source: source)
            return .success(id)
        } catch {
            return .failure(error)
        }
    }

    /// Supplies what the link asks for, if there is a source. Returns whether the app need not hear of the effect.
    func isHandledBySource(_ effect: LinkEffect) -> Bool {
        guard case .outgoingFile(let event) = effect, let file = sourcedFile else { return false }
        switch event {
        case .wanted(file.id, _, let maximum):
            supply(file, atMost: maximum)
            return true
        case .delivered(file.id, _), .ended(file.id, _, _):
            dropSource()
            return false
        case .accepted, .wanted, .delivered, .ended:
            return false
        }
    }

    private func supply(_ file: SourcedFile, atMost maximum: Int) {
        let (bound, eventLoop) = (NIOLoopBound(self, eventLoop: eventLoop), eventLoop)
        let step = file.source.next(atMost: maximum) {
            eventLoop.execute { bound.value.supplyWanted(to: file.id) }
        }
        switch step {
        case .chunk(let bytes): supply(bytes, to: file.id)
        case .notReady: sourcedFile?.wanted = maximum
        case .failed: cancel(file.id)
        }
    }

    private func supply(_ bytes: [UInt8], to file: FileID) {
        do throws(RequestError) {
            try link.supply(bytes, to: file, at: now)
            // There is something to transmit now, and perhaps this is called after that was done.
            pump.isWanted = true
        } catch {
            // A chunk of a wrong length is a fault of the source. A link that has ended has said so.
            cancel(file)
        }
    }

    private func cancel(_ file: FileID) {
        try? link.cancelFile(file, reason: .sourceFailed, at: now)
        pump.isWanted = true
    }

    /// The source has bytes that the link asked for before.
    private func supplyWanted(to id: FileID) {
        guard let file = sourcedFile, file.id == id, let maximum = file.wanted else { return }
        sourcedFile?.wanted = nil
        supply(file, atMost: maximum)
        settle()
    }

    func dropSource() {
        sourcedFile?.source.stop()
        sourcedFile = nil
    }
}
