import MultipeerCore
import MultipeerNIO
import MultipeerStorage
import MultipeerTestSupport
import MultipeerTransfers
import MultipeerWire
import Synchronization
import Testing

@Suite("Files that a peer gives up, SPEC §15.3", .endsIfItHangs)
struct CancelTests {
    private let scratch: Scratch
    private let folder: Scratch

    init() throws {
        (scratch, folder) = (try Scratch(), try Scratch())
    }

    private func file(_ length: Int = 6_000_000) async throws -> OutgoingFile {
        try await scratch.outgoing("a.bin", content(length))
    }

    @Test("The sender's task is cancelled: the receiver is notified, and keeps nothing (R15.3-7)")
    func sender() async throws {
        let pair = try await Pair()
        let file = try await file()
        let sending = Task { try await pair.anna.transfers.send(file, tag: tag) }
        pair.ben.link.trap(at: 500_000) { sending.cancel() }
        let received = await failure { try await pair.ben.receive(into: folder) }
        #expect(received == .cancelled(.cancelled, byPeer: true))
        #expect(await failure { try await sending.value } == .cancelled(.cancelled, byPeer: false))
        #expect(folder.names == [])
        try await stillWorks(pair)
    }

    @Test("The receiver's task is cancelled: the sender is notified, and nothing is kept")
    func receiver() async throws {
        let pair = try await Pair()
        let file = try await file()
        let sending = Task { try await pair.anna.transfers.send(file, tag: tag) }
        let (ben, folder) = (pair.ben, folder)
        let receiving = Task { try await ben.receive(into: folder) }
        ben.link.trap(at: 500_000) { receiving.cancel() }
        #expect(await failure { try await receiving.value } == .cancelled(.cancelled, byPeer: false))
        #expect(await failure { try await sending.value } == .cancelled(.cancelled, byPeer: true))
        #expect(folder.names == [])
        try await stillWorks(pair)
    }

    @Test("A task that is cancelled before it begins offers nothing")
    func early() async throws {
        let pair = try await Pair()
        let file = try await file(10)
        let sending = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await pair.anna.transfers.send(file)
        }
        #expect(await failure { try await sending.value } == .cancelled(.cancelled, byPeer: false))
        #expect(pair.anna.link.offers == 0)
        await pair.close()
    }

    @Test("A task that waits for the answer to its offer is cancelled, and the offer is withdrawn")
    func offered() async throws {
        let pair = try await Pair()
        let file = try await file(10)
        let sending = Task { try await pair.anna.transfers.send(file) }
        let offer = try await pair.ben.offer()
        sending.cancel()
        #expect(await failure { try await sending.value } == .cancelled(.cancelled, byPeer: false))
        let received = await failure {
            try await pair.ben.transfers.receive(offer, from: pair.ben.other, into: folder.path)
        }
        #expect(received == .cancelled(.cancelled, byPeer: true))
        #expect(folder.names == [])
        try await stillWorks(pair)
    }

    @Test("An offer that waits for its place ends at once if it was withdrawn, or its task or link ended")
    func waiting() async throws {
        var one = Pair.settings
        one.receivesAtOnce = 1
        let pair = try await Pair(ben: one)
        let (ben, folder, anna) = (pair.ben, folder, pair.anna)
        // The first file makes no progress, and so the others wait.
        let gate = Gate()
        ben.link.trap(at: 1) { await gate.wait() }
        let long = try await file()
        let first = Task { try await anna.transfers.send(long) }
        let taking = Task { try await ben.receive(into: folder) }
        try await eventually { ben.link.received > 0 }

        let short = try await scratch.outgoing("b.bin", content(10))
        var sending: [Task<Void, any Error>] = []
        var receiving: [Task<StoredFile, any Error>] = []
        for _ in 0..<3 {
            sending.append(Task { _ = try await anna.transfers.send(short) })
            let offer = try await ben.offer()
            receiving.append(Task { try await ben.transfers.receive(offer, from: ben.other, into: folder.path) })
        }
        sending[0].cancel()
        #expect(await failure { try await receiving[0].value } == .cancelled(.cancelled, byPeer: true))
        receiving[1].cancel()
        #expect(await failure { try await receiving[1].value } == .cancelled(.cancelled, byPeer: false))
        #expect(await failure { try await sending[1].value } == .cancelled(.cancelled, byPeer: true))
        anna.link.connection.abort()
        guard case .linkEnded(.failed?) = await failure({ try await receiving[2].value }) else {
            Issue.record("it did not end with the link")
            return
        }
        gate.open()
        _ = await failure { try await first.value }
        _ = await failure { try await taking.value }
        _ = await failure { try await sending[2].value }
        #expect(folder.names == [])
    }

    @Test("A file that has come whole is stored, though its task is cancelled afterwards (R16.1-5)")
    func complete() async throws {
        let pair = try await Pair()
        let file = try await file(400_000)
        let (ben, folder) = (pair.ben, folder)
        let sending = Task { try await pair.anna.transfers.send(file) }
        let receiving = Task { try await ben.receive(into: folder) }
        ben.link.trapEnd { receiving.cancel() }
        let stored = try await receiving.value
        #expect(try await sending.value == stored.digest)
        #expect(try folder.read("a.bin") == content(400_000))
        await pair.close()
    }

    /// A file that was given up leaves the link as it was.
    private func stillWorks(_ pair: Pair) async throws {
        let file = try await scratch.outgoing("next.bin", content(100))
        async let digest = pair.anna.transfers.send(file)
        #expect(try await pair.ben.receive(into: folder).digest == digest)
        #expect(folder.names == ["next.bin"])
        await pair.close()
    }
}

/// Keeps tasks waiting until it is opened.
final class Gate: Sendable {
    private let stream: AsyncStream<Void>
    private let end: AsyncStream<Void>.Continuation

    init() { (stream, end) = AsyncStream.makeStream() }

    func wait() async { for await _ in stream {} }

    func open() { end.finish() }
}
