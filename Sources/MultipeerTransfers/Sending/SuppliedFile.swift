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
    private let state = Mutex(Beginning.unknown)
    private let progress: ProgressMeter
    private let onProgress: @Sendable (TransferProgress) -> Void

    private enum Beginning {
        case unknown
        case hashing(whenReady: @Sendable () -> Void)
        case hashed(HeldBeginning)
        case failed(StorageError)
    }

    init(
        _ file: OutgoingFile, digest: any BulkDigest, progress: ProgressMeter,
        onProgress: @escaping @Sendable (TransferProgress) -> Void
    ) {
        self.file = file
        self.digest = digest
        self.progress = progress
        self.onProgress = onProgress
        chunks = ReadAhead(file)
    }

    /// Why the file could not be read to its end, if it could not.
    var failure: StorageError? {
        if let failure = chunks.failure { return failure }
        return state.withLock { state in
            if case .failed(let error) = state { error } else { nil }
        }
    }

    /// How many bytes the peer had already.
    var held: UInt64 {
        state.withLock { state in
            if case .hashed(let beginning) = state { beginning.length } else { 0 }
        }
    }

    func beginning(ofLength length: UInt64, whenReady: @escaping @Sendable () -> Void) -> FileBeginningStep {
        let (step, mustHash): (FileBeginningStep, Bool) = state.withLock { state in
            switch state {
            case .unknown:
                state = .hashing(whenReady: whenReady)
                return (.notReady, true)
            case .hashing:
                state = .hashing(whenReady: whenReady)
                return (.notReady, false)
            case .hashed(let beginning): return (.hashed(beginning), false)
            case .failed(let error): return (.failed(error.sourceReason), false)
            }
        }
        if mustHash { Task { await hash(length) } }
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
            guard case .hashing(let whenReady) = state else { return nil }
            state = result
            return whenReady
        }
        wake?()
    }

    func next(from offset: UInt64, atMost maximum: Int, whenReady: @escaping @Sendable () -> Void) -> FileSourceStep {
        progress.begin(at: offset)
        switch chunks.next(from: offset, atMost: maximum, whenReady: whenReady) {
        case .chunk(let bytes):
            if let news = progress.advance(to: offset + UInt64(bytes.count), by: bytes.count) { onProgress(news) }
            return .chunk(bytes)
        case .notReady: return .notReady
        case .failed(let error): return .failed(error.sourceReason)
        }
    }

    func stop() { chunks.stop() }
}
