import Multipeer
import MultipeerCore
import MultipeerCrypto
import MultipeerStorage
import MultipeerTestSupport
import MultipeerTransfers
import Synchronization
import Testing

@Suite("Files and streams of members, SPEC §15", .endsIfItHangs)
struct TransferTests {
    @Test("Files and a folder are sent both ways at once, while messages pass")
    func files() async throws {
        let scratch = try Scratch()
        let big = try scratch.write("big", Self.noise(5_000_000))
        try scratch.write("folder/a.txt", "a")
        try scratch.write("folder/deep/b.txt", "b")
        try scratch.write("empty", "")
        let anna = try await Friend("Anna", inbox: scratch / "annas")
        let ben = try await Friend("Ben", inbox: scratch / "bens")
        try await anna.session.invite(ben.address)
        try await ben.waits(for: ["Anna"])
        let progress = Mutex<[TransferEvent]>([])
        async let one = anna.session.sendFile(big, to: ben.id) { event in progress.withLock { $0.append(event) } }
        async let folder = anna.session.sendFile(scratch / "folder", to: ben.id)
        async let other = ben.session.sendFile(scratch / "empty", to: anna.id)
        try await anna.session.send("meanwhile")
        _ = try await (one, folder, other)
        #expect(try scratch.read("bens/big") == scratch.read("big"))
        #expect(try scratch.read("bens/folder/deep/b.txt") == Array("b".utf8))
        #expect(try scratch.read("annas/empty").isEmpty)
        try await eventually { ben.seen.texts(from: "Anna") == ["meanwhile"] }
        #expect(progress.withLock { !$0.isEmpty })
    }

    @Test("A stored identity's file continues where the lost connection stopped it")
    func resuming() async throws {
        let scratch = try Scratch()
        let path = try scratch.write("big", Self.noise(30_000_000))
        let anna = try await Friend(
            "Anna", peer: try await Peer.load(named: "Anna", from: PeerStore(directory: scratch / "store")))
        let ben = try await Friend("Ben", inbox: scratch / "bens")
        try await anna.session.invite(ben.address)
        let transferred = Mutex<UInt64>(0)
        let sending = Task {
            try await anna.session.sendFile(path, to: ben.id) { event in
                if case .progress(let progress) = event { transferred.withLock { $0 = progress.transferred } }
            }
        }
        try await eventually { transferred.withLock { $0 } > 8_000_000 }
        await ben.session.disconnect(anna.id)
        await #expect(throws: MultipeerError.self) { try await sending.value }
        try await anna.waits(for: [])
        try await anna.session.invite(ben.address)
        let resumed = Mutex<UInt64?>(nil)
        try await anna.session.sendFile(path, to: ben.id) { event in
            if case .accepted(let offset) = event { resumed.withLock { $0 = offset } }
        }
        #expect(try scratch.read("bens/big") == scratch.read("big"))
        #expect(resumed.withLock { $0 ?? 0 } > 4_000_000)
    }

    @Test("An offer that nobody takes is declined, and one to a member that cannot store it says why")
    func declined() async throws {
        let scratch = try Scratch()
        let path = try scratch.write("note", "text")
        let (anna, ben) = (try await Friend("Anna"), try await Friend("Ben"))
        let cleo = try await Friend("Cleo", inbox: "/proc/nowhere")
        try await anna.session.invite(ben.address)
        try await anna.session.invite(cleo.address)
        await #expect(throws: MultipeerError.file(.cancelled(.declined, byPeer: true))) {
            try await anna.session.sendFile(path, to: ben.id)
        }
        await #expect(throws: MultipeerError.self) { try await anna.session.sendFile(path, to: cleo.id) }
        try await eventually { cleo.seen.transferErrors.count == 1 }
        await #expect(throws: MultipeerError.self) { try await anna.session.sendFile(scratch / "nothing", to: ben.id) }
        #expect(anna.connected == ["Ben", "Cleo"])
    }

    @Test(
        "A sender learns whether an offer was declined, not answered, or impossible to ask about (SPEC §15.3)",
        arguments: [
            (.declined, .cancelled(.declined, byPeer: true)), (.unanswered, .unanswered), (.busy, .busy),
        ] as [(OfferRefusal, TransferError)])
    func refusals(refusal: OfferRefusal, error: TransferError) async throws {
        let scratch = try Scratch()
        let path = try scratch.write("note", "text")
        let (anna, ben) = (try await Friend("Anna"), try await Friend("Ben", takesEvents: false))
        try await anna.session.invite(ben.address)
        let sending = Task { try await anna.session.sendFile(path, to: ben.id) }
        for await case .file(let file) in ben.session.events {
            await file.decline(refusal)
            break
        }
        await #expect(throws: MultipeerError.file(error)) { try await sending.value }
    }

    @Test("A waiting app learns that an offer was withdrawn or answered, or its connection lost")
    func withdrawn() async throws {
        let scratch = try Scratch()
        let path = try scratch.write("note", "text")
        let (anna, ben) = (try await Friend("Anna"), try await Friend("Ben", takesEvents: false))
        try await anna.session.invite(ben.address)
        var events = ben.session.events.makeAsyncIterator()
        func nextOffer() async throws -> OfferedFile {
            while let event = await events.next() { if case .file(let file) = event { return file } }
            throw CancellationError()
        }
        for end in [OfferEnd.withdrawal, .answer, .cancelledWait, .loss] {
            let sending = Task { try await anna.session.sendFile(path, to: ben.id) }
            let file = try await nextOffer()
            let waits = (1...2).map { _ in Task { await file.waitForWithdrawal() } }
            try await eventually { file.waiterCount == 2 }
            switch end {
            case .withdrawal: sending.cancel()
            case .answer: await file.decline()
            case .cancelledWait: for wait in waits { wait.cancel() }
            case .loss: await ben.vanish()
            }
            for wait in waits { #expect(await wait.value == (end == .withdrawal), "\(end)") }
            // Of an offer that is over it is said at once.
            if end != .cancelledWait {
                let isWithdrawn = await file.waitForWithdrawal()
                #expect(isWithdrawn == (end == .withdrawal), "\(end)")
            }
            sending.cancel()
            _ = await sending.result
        }
    }

    private enum OfferEnd { case withdrawal, answer, cancelledWait, loss }

    @Test("Streams are byte-exact both ways, and each direction ends by itself")
    func streams() async throws {
        let (anna, ben) = (try await Friend("Anna"), try await Friend("Ben"))
        try await anna.session.invite(ben.address)
        let data = Self.noise(1_000_000)
        let out = try await anna.session.openStream(named: "backup", to: ben.id)
        async let writing: Void = {
            for start in stride(from: 0, to: data.count, by: 100_000) {
                try await out.write(Array(data[start..<start + 100_000]))
            }
            try await out.finish()
        }()
        try await eventually { !ben.seen.streams.isEmpty }
        let into = try #require(ben.seen.streams.first)
        #expect(into.name == "backup" && into.member.name == "Anna" && !into.isOwn)
        var received: [UInt8] = []
        for try await bytes in into.bytes { received += bytes }
        try await writing
        #expect(received == data)
        try await into.write(Array("thanks".utf8))
        try await into.finish()
        var answer: [UInt8] = []
        for try await bytes in out.bytes { answer += bytes }
        #expect(answer == Array("thanks".utf8))
    }

    @Test("A member that does not take its messages stops neither others nor its own files")
    func slowMember() async throws {
        let scratch = try Scratch()
        let path = try scratch.write("file", Self.noise(200_000))
        let (anna, ben) = (try await Friend("Anna", inbox: scratch / "annas"), try await Friend("Ben"))
        let cleo = try await Friend("Cleo", takesEvents: false)
        try await anna.session.invite(ben.address)
        try await anna.session.invite(cleo.address)
        try await cleo.waits(for: ["Anna", "Ben"])
        let text = [UInt8](repeating: 7, count: 100_000)
        let flood = Task { for _ in 1...100 { try await anna.session.send(text, to: .only([cleo.id])) } }
        for number in 1...50 { try await anna.session.send("\(number)", to: .only([ben.id])) }
        try await eventually { ben.seen.texts(from: "Anna").count == 50 }
        try await cleo.session.sendFile(path, to: anna.id)
        // What Cleo holds of it is what its credit allows, and the rest waits at Anna's.
        let statistics = try #require(await anna.session.statistics(of: cleo.id))
        #expect(statistics.messagesSent < 100)
        flood.cancel()
        _ = await flood.result
    }

    /// Bytes that do not compress, the same each time.
    private static func noise(_ count: Int) -> [UInt8] {
        var state: UInt64 = 0x9E37_79B9
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }
}
