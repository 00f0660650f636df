import MultipeerDriver
import MultipeerStorage
import Synchronization

/// A file on its way out: read ahead of the link, which takes chunk after chunk on its event loop.
final class SuppliedFile: FileSource {
    private let file: OutgoingFile
    private let chunks: ReadAhead
    private let progress = Mutex(Progress())
    /// Told once a per cent.
    private let onProgress: @Sendable (FileProgress) -> Void

    private struct Progress {
        var supplied: UInt64 = 0
        var lastPercent: UInt64?
    }

    init(_ file: OutgoingFile, onProgress: @escaping @Sendable (FileProgress) -> Void) {
        self.file = file
        self.onProgress = onProgress
        chunks = ReadAhead(file)
    }

    /// Why the file could not be read to its end, if it could not.
    var failure: StorageError? { chunks.failure }

    func next(atMost maximum: Int, whenReady: @escaping @Sendable () -> Void) -> FileSourceStep {
        switch chunks.next(atMost: maximum, whenReady: whenReady) {
        case .chunk(let bytes):
            note(bytes.count)
            return .chunk(bytes)
        case .notReady: return .notReady
        case .failed: return .failed
        }
    }

    func stop() { chunks.stop() }

    private func note(_ count: Int) {
        let news: FileProgress? = progress.withLock { state in
            state.supplied += UInt64(count)
            let news = FileProgress(
                direction: .sent, name: file.name, transferred: state.supplied, size: file.length)
            guard news.percent != state.lastPercent else { return nil }
            state.lastPercent = news.percent
            return news
        }
        if let news { onProgress(news) }
    }
}
