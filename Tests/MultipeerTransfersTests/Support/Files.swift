import MultipeerStorage
import MultipeerTestSupport
import MultipeerTransfers
import Synchronization
import Testing

/// Bytes that do not repeat with a chunk or a record.
func content(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count { bytes += block.prefix(count - bytes.count) }
    return bytes
}

/// To compute each byte of a long file would take a test build seconds.
private let block: [UInt8] = (0..<100_003).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

extension Scratch {
    /// Writes a file and opens it to be sent.
    func outgoing(_ name: String, _ bytes: [UInt8]) async throws -> OutgoingFile {
        try await OutgoingFile.open(try write(name, bytes))
    }
}

/// A tag for files that continue where they stopped.
let tag = [UInt8](repeating: 9, count: 16)

/// The error of a transfer that must fail.
func failure<Result>(_ transfer: () async throws -> Result) async -> TransferError? {
    do {
        _ = try await transfer()
        Issue.record("it did not fail")
        return nil
    } catch {
        #expect(error is TransferError)
        return error as? TransferError
    }
}

/// What a transfer reports.
final class Told: Sendable {
    private let state = Mutex<[TransferEvent]>([])

    var listener: @Sendable (TransferEvent) -> Void { { [self] event in state.withLock { $0.append(event) } } }
    var events: [TransferEvent] { state.withLock { $0 } }

    /// Where the file began.
    var offsets: [UInt64] { events.compactMap { if case .accepted(let offset) = $0 { offset } else { nil } } }
    var progress: [TransferProgress] {
        events.compactMap { if case .progress(let progress) = $0 { progress } else { nil } }
    }
}
