import Foundation
import MultipeerCore
import MultipeerStorage
import MultipeerTestSupport
import MultipeerTransfers
import MultipeerWire
import Testing

@Suite("Files over real links, SPEC §15.3", .endsIfItHangs)
struct TransferTests {
    private let scratch: Scratch
    private let folder: Scratch

    init() throws {
        (scratch, folder) = (try Scratch(), try Scratch())
    }

    @Test("A file arrives, whatever its length", arguments: [0, 1, 65_280, 65_281, 3_000_000])
    func whole(length: Int) async throws {
        let pair = try await Pair()
        let file = try await scratch.outgoing("a.bin", content(length))
        let (sent, received) = (Told(), Told())
        async let digest = pair.anna.transfers.send(file, onEvent: sent.listener)
        let stored = try await pair.ben.receive(into: folder, onEvent: received.listener)
        #expect(try await digest == stored.digest)
        #expect(stored.path == folder / "a.bin" && stored.size == UInt64(length))
        #expect(try folder.read("a.bin") == content(length))
        #expect(folder.names == ["a.bin"])
        for told in [sent, received] {
            #expect(told.offsets == [0])
            #expect(told.progress.last?.transferred == (length > 0 ? UInt64(length) : nil))
            #expect(told.progress.map(\.transferred) == told.progress.map(\.transferred).sorted())
        }
        await pair.close()
    }

    @Test("A folder arrives")
    func folder() async throws {
        let pair = try await Pair()
        try scratch.write("album/one.txt", "one")
        try scratch.write("album/inner/two.bin", content(300_000))
        let file = try await OutgoingFile.open(scratch / "album")
        async let digest = pair.anna.transfers.send(file)
        let stored = try await pair.ben.receive(into: folder)
        #expect(try await digest == stored.digest && stored.path == folder / "album")
        #expect(try folder.read("album/one.txt") == Array("one".utf8))
        #expect(try folder.read("album/inner/two.bin") == content(300_000))
        await pair.close()
    }

    @Test("Files are sent both ways at once, and only a limited number at a time")
    func many() async throws {
        var few = Pair.settings
        few.receivesAtOnce = 2
        few.sendsAtOnce = 8
        let pair = try await Pair(anna: few, ben: few)
        let back = try await scratch.outgoing("back.bin", content(700_000))
        let (anna, ben, other, folder) = (pair.anna, pair.ben, try Scratch(), folder)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                let file = try await scratch.outgoing("\(number).bin", content(100_000 + number))
                group.addTask { _ = try await anna.transfers.send(file) }
            }
            group.addTask { _ = try await ben.transfers.send(back) }
            group.addTask { _ = try await anna.receive(into: other) }
            for _ in 0..<8 {
                let offer = try await ben.offer()
                group.addTask { _ = try await ben.transfers.receive(offer, from: ben.other, into: folder.path) }
            }
            try await group.waitForAll()
        }
        #expect(folder.names == (0..<8).map { "\($0).bin" })
        #expect(try folder.read("7.bin") == content(100_007))
        #expect(try other.read("back.bin") == content(700_000))
        #expect(ben.link.mostRunning == 2)
        await pair.close()
    }

    @Test("An offer is declined, and the sender is notified")
    func declined() async throws {
        let pair = try await Pair()
        let file = try await scratch.outgoing("a.bin", content(10))
        let sending = Task { try await pair.anna.transfers.send(file) }
        await pair.ben.transfers.decline(try await pair.ben.offer())
        #expect(await failure { try await sending.value } == .cancelled(.declined, byPeer: true))
        await pair.close()
    }

    @Test("A file that is sent over a closed link fails with that link's end")
    func afterEnd() async throws {
        let pair = try await Pair()
        await pair.close()
        let file = try await scratch.outgoing("a.bin", content(10))
        // Several at once, because each waits for the end.
        await withTaskGroup(of: TransferError?.self) { group in
            for _ in 0..<3 {
                group.addTask { await failure { try await pair.anna.transfers.send(file) } }
            }
            for await error in group { #expect(error == .linkEnded(.finished(unsentMessages: 0))) }
        }
        // Programs cancel their tasks when the link has ended; that is no reason of its own.
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await pair.anna.transfers.send(file)
        }
        #expect(await failure { try await cancelled.value } == .linkEnded(.finished(unsentMessages: 0)))
    }
}
