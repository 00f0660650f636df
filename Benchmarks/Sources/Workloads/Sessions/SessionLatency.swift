import Multipeer
import MultipeerCore
import MultipeerTransfers
import Synchronization

/// Round trips of a message of 64 bytes between two members, in nanoseconds each: with nothing else under way, and beside a file
/// that goes over the same link.
public final class SessionLatency: Sendable {
    private let pair: SessionPair
    private let folder: ScratchFolder
    private let taken: FilesTaken
    private let message = [UInt8](repeating: 7, count: 64)

    /// Opens a session whose second member answers each message with the same one. The file has `fileLength` bytes.
    public init(fileLength: Int) throws {
        let pair = try SessionPair()
        folder = try ScratchFolder(fileLength: fileLength)
        taken = FilesTaken(in: pair.receiver, into: folder.received) { message, member in
            _ = try? await pair.receiver.send(message.bytes, to: member.id)
        }
        self.pair = pair
    }

    /// `count` round trips, one after the other.
    public func alone(_ count: Int) throws -> [Double] {
        try blocking { [self] in
            var samples: [Double] = []
            for _ in 0..<count { samples.append(try await roundTrip()) }
            return samples
        }
    }

    /// The same while the file is under way, from its acceptance until its last byte is with the link. If the file is over before,
    /// it goes again.
    public func besideFile(_ count: Int) throws -> [Double] {
        try blocking { [self] in
            var samples: [Double] = []
            for _ in 0..<Self.mostFiles where samples.count < count {
                let flow = FileFlow()
                async let sent: Void = send(flow)
                await flow.start()
                while samples.count < count {
                    let sample = try await roundTrip()
                    guard flow.isUnderWay else { break }
                    samples.append(sample)
                }
                try await sent
            }
            guard samples.count == count else { throw WorkloadFailure.wrongResult }
            return samples
        }
    }

    /// A file must be very short that needs to go more often.
    private static let mostFiles = 1_000

    private func send(_ flow: FileFlow) async throws {
        defer { flow.end() }
        try await pair.sender.sendFile(folder.source, to: pair.receiver.peer.id, onEvent: flow.note)
        try folder.removeTarget()
    }

    private func roundTrip() async throws -> Double {
        var events = pair.sender.events.makeAsyncIterator()
        let start = SystemClock.monotonic()
        try await pair.sender.send(message)
        guard case .message(let answer, _) = await events.next(), answer.bytes.count == message.count else {
            throw WorkloadFailure.wrongResult
        }
        return Double(SystemClock.monotonic().nanoseconds - start.nanoseconds)
    }
}

/// Whether bytes of a file flow.
private final class FileFlow: Sendable {
    private let isFlowing = Mutex(false)
    private let (begun, beginning) = AsyncStream<Void>.makeStream()

    var isUnderWay: Bool { isFlowing.withLock { $0 } }

    func note(_ event: TransferEvent) {
        switch event {
        case .accepted:
            isFlowing.withLock { $0 = true }
            beginning.finish()
        case .progress(let progress):
            if progress.transferred == progress.size { isFlowing.withLock { $0 = false } }
        case .offered, .leftOut, .renamed, .kept: break
        @unknown default: break
        }
    }

    /// Returns when the file is accepted, or over.
    func start() async { for await _ in begun {} }

    /// The file is over, in whatever way.
    func end() {
        isFlowing.withLock { $0 = false }
        beginning.finish()
    }
}
