import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import MultipeerStorage
import MultipeerWire
import Synchronization

/// A file on its way out: read ahead of the link, which takes chunk after chunk on its event loop.
final class SuppliedFile: FileSource {
    private let file: OutgoingFile
    private let digest: any BulkDigest
    private let chunks: ReadAhead
    private let state = Mutex(State())
    /// Told once a per cent.
    private let onProgress: @Sendable (FileProgress) -> Void

    private enum Beginning {
        case unknown
        case hashing(whenReady: @Sendable () -> Void)
        case hashed(HeldBeginning)
        case failed(StorageError)
    }

    private struct State {
        var beginning = Beginning.unknown
        var supplied: UInt64 = 0
        var lastPercent: UInt64?
    }

    init(_ file: OutgoingFile, digest: any BulkDigest, onProgress: @escaping @Sendable (FileProgress) -> Void) {
        self.file = file
        self.digest = digest
        self.onProgress = onProgress
        chunks = ReadAhead(file)
    }

    /// Why the file could not be read to its end, if it could not.
    var failure: StorageError? {
        if let failure = chunks.failure { return failure }
        return state.withLock { state in
            if case .failed(let error) = state.beginning { error } else { nil }
        }
    }

    /// How many bytes the peer had already.
    var held: UInt64 {
        state.withLock { state in
            if case .hashed(let beginning) = state.beginning { beginning.length } else { 0 }
        }
    }

    func beginning(ofLength length: UInt64, whenReady: @escaping @Sendable () -> Void) -> FileBeginningStep {
        let (step, mustHash): (FileBeginningStep, Bool) = state.withLock { state in
            switch state.beginning {
            case .unknown:
                state.beginning = .hashing(whenReady: whenReady)
                return (.notReady, true)
            case .hashing:
                state.beginning = .hashing(whenReady: whenReady)
                return (.notReady, false)
            case .hashed(let beginning):
                state.supplied = beginning.length
                return (.hashed(beginning), false)
            case .failed(let error): return (.failed(error.sourceReason), false)
            }
        }
        if mustHash { Task { await hash(length) } }
        if case .hashed = step { chunks.skip(to: length) }
        return step
    }

    private func hash(_ length: UInt64) async {
        let result: Beginning
        do throws(StorageError) {
            result = .hashed(try await file.beginning(ofLength: length, digest))
        } catch {
            result = .failed(error)
        }
        let wake: (@Sendable () -> Void)? = state.withLock { state in
            guard case .hashing(let whenReady) = state.beginning else { return nil }
            state.beginning = result
            return whenReady
        }
        wake?()
    }

    func next(atMost maximum: Int, whenReady: @escaping @Sendable () -> Void) -> FileSourceStep {
        switch chunks.next(atMost: maximum, whenReady: whenReady) {
        case .chunk(let bytes):
            note(bytes.count)
            return .chunk(bytes)
        case .notReady: return .notReady
        case .failed(let error): return .failed(error.sourceReason)
        }
    }

    func stop() { chunks.stop() }

    private func note(_ count: Int) {
        let news: FileProgress? = state.withLock { state in
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
