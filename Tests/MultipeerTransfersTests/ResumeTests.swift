import MultipeerCore
import MultipeerNIO
import MultipeerStorage
import MultipeerTestSupport
import MultipeerTransfers
import MultipeerWire
import Testing

@Suite("Files that continue over another link, SPEC §15.7", .endsIfItHangs)
struct ResumeTests {
    private static let length = 6_000_000
    private let scratch: Scratch
    private let folder: Scratch

    init() throws {
        (scratch, folder) = (try Scratch(), try Scratch())
    }

    /// Sends a file until the link breaks in its middle. Returns how many bytes have come.
    private func breakOff(_ file: OutgoingFile) async throws -> Int {
        let pair = try await Pair()
        pair.ben.link.trap(at: Self.length / 3) { pair.ben.link.connection.abort() }
        let sending = Task { try await pair.anna.transfers.send(file, tag: tag) }
        let received = await failure { try await pair.ben.receive(into: folder) }
        let sent = await failure { try await sending.value }
        for error in [received, sent] {
            guard case .linkEnded(.failed?) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        return pair.ben.link.received
    }

    @Test("After a broken link only the rest is sent (R15.7-2)")
    func resumed() async throws {
        let file = try await scratch.outgoing("a.bin", content(Self.length))
        let first = try await breakOff(file)
        #expect(first >= Self.length / 3 && first < Self.length)

        let pair = try await Pair()
        let (sent, received) = (Told(), Told())
        async let digest = pair.anna.transfers.send(file, tag: tag, onEvent: sent.listener)
        let stored = try await pair.ben.receive(into: folder, onEvent: received.listener)
        #expect(try await digest == stored.digest)
        #expect(try folder.read("a.bin") == content(Self.length))
        #expect(first + pair.ben.link.received == Self.length)
        for told in [sent, received] {
            #expect(told.offsets == [UInt64(first)])
            #expect(told.progress.first.map { $0.resumedAt == first && $0.transferred > first } == true)
        }
        #expect(folder.names == ["a.bin"])
        await pair.close()
    }

    @Test("A foreign beginning is dropped, and the file is offered anew without a tag (R15.3-10, R15.7-3)")
    func differs() async throws {
        let first = try await breakOff(try await scratch.outgoing("a.bin", content(Self.length)))
        #expect(first > 0)

        // The same tag for other bytes of the same length, which this sender should not have made.
        let other = [UInt8](repeating: 7, count: Self.length)
        let file = try await scratch.outgoing("b.bin", other)
        let pair = try await Pair()
        let sent = Told()
        async let digest = pair.anna.transfers.send(file, tag: tag, onEvent: sent.listener)
        let error = await failure { try await pair.ben.receive(into: folder) }
        #expect(error == .cancelled(.beginningDiffers, byPeer: true))
        #expect(folder.names == [])
        let stored = try await pair.ben.receive(into: folder)
        #expect(try await digest == stored.digest)
        #expect(try folder.read("b.bin") == other)
        #expect(sent.offsets == [0] && pair.anna.link.offers == 2)
        await pair.close()
    }

    @Test("Files of a sender without tags are not held")
    func untagged() async throws {
        let pair = try await Pair()
        let file = try await scratch.outgoing("a.bin", content(Self.length))
        pair.ben.link.trap(at: 1_000_000) { pair.ben.link.connection.abort() }
        let sending = Task { try await pair.anna.transfers.send(file) }
        _ = await failure { try await pair.ben.receive(into: folder) }
        _ = await failure { try await sending.value }
        #expect(folder.names == [])
    }

    @Test(
        "A peer that closes in good order interrupts the file, and the received bytes are kept (R16.1-5)",
        arguments: [true, false])
    func interrupted(bySender: Bool) async throws {
        let file = try await scratch.outgoing("a.bin", content(Self.length))
        let pair = try await Pair()
        let closing = (bySender ? pair.anna : pair.ben).link.connection
        pair.ben.link.trap(at: 1_000_000) { closing.close() }
        let sending = Task { try await pair.anna.transfers.send(file, tag: tag) }
        let received = await failure { try await pair.ben.receive(into: folder) }
        let sent = await failure { try await sending.value }
        #expect(received == .cancelled(.interrupted, byPeer: bySender) || isEnd(received))
        #expect(sent == .cancelled(.interrupted, byPeer: !bySender) || isEnd(sent))
        #expect(folder.names == [HeldFiles.folderName])
    }

    private func isEnd(_ error: TransferError?) -> Bool {
        if case .linkEnded(.finished?) = error { true } else { false }
    }
}
