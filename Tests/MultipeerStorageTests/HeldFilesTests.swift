import Foundation
import MultipeerCore
import MultipeerCrypto
import MultipeerSodium
import MultipeerTestSupport
import MultipeerWire
import Testing

@testable import MultipeerStorage

@Suite("Beginnings of files that are held, SPEC §15.7", .endsIfItHangs)
struct HeldFilesTests {
    private let scratch: Scratch
    private let clock = ManualClock()
    private let now = Int64(Date().timeIntervalSince1970)
    private let anna: IdentityKey
    private let ben: IdentityKey

    init() throws {
        scratch = try Scratch()
        anna = try IdentityKey(rawBytes: [UInt8](repeating: 1, count: 32))
        ben = try IdentityKey(rawBytes: [UInt8](repeating: 2, count: 32))
    }

    private static let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

    private func offer(
        tag: UInt8 = 7, size: Int = content.count, kind: FileKind = .file, modified: UInt64 = 0
    ) -> StoredOffer {
        StoredOffer(
            name: "f.bin", size: UInt64(size), tag: [UInt8](repeating: tag, count: 16), kind: kind, modified: modified)
    }

    private func begin(
        _ offer: StoredOffer, from sender: IdentityKey? = nil, limits: HeldLimits = HeldLimits(), at time: Int64? = nil
    ) async throws -> BegunFile {
        try await ReceivedFile.begin(
            offer, from: sender ?? anna, in: scratch.path, limits: limits, digest: TestProvider.all.bulkDigest,
            now: time ?? now, clock: clock)
    }

    /// Receives the first bytes of an offer, and stops.
    private func hold(
        _ count: Int, of offer: StoredOffer, from sender: IdentityKey? = nil, limits: HeldLimits = HeldLimits()
    ) async throws {
        let begun = try await begin(offer, from: sender, limits: limits)
        try await begun.file.write(Array(Self.content.prefix(count)))
        await begun.file.keep()
    }

    private func heldCount(of sender: IdentityKey) -> Int {
        (try? scratch.names(in: "\(HeldFiles.folderName)/\(sender.description)").count) ?? 0
    }

    @Test("An interrupted file continues: the hash covers the held bytes, and the whole file gets its name")
    func resumes() async throws {
        try await hold(100_000, of: offer())
        #expect(scratch.names == [HeldFiles.folderName])
        let begun = try await begin(offer(kind: .file, modified: 1_000_000_007))
        let beginning = try #require(begun.beginning)
        let digester = try TestProvider.all.bulkDigest.makeDigester()
        digester.update(Array(Self.content.prefix(100_000)).span)
        #expect(beginning.length == 100_000)
        #expect(try beginning.digest == digester.finish())
        let rest = Array(Self.content.dropFirst(100_000))
        let continuing = try #require(beginning.takeDigester())
        continuing.update(rest.span)
        digester.update(Self.content.span)
        #expect(try continuing.finish() == digester.finish())
        #expect(beginning.takeDigester() == nil, "one file continues it")
        try await begun.file.write(rest)
        #expect(try await begun.file.finish().path == scratch / "f.bin")
        #expect(try scratch.read("f.bin") == Self.content)
        #expect(scratch.names == ["f.bin"])
        let attributes = try FileManager.default.attributesOfItem(atPath: scratch / "f.bin")
        #expect(attributes[.modificationDate] as? Date == Date(timeIntervalSince1970: 1_000_000_007))
        #expect(try scratch.mode("f.bin") == scratch.usualMode())
    }

    @Test("A beginning belongs to one sender, tag, size and type, and to one file at a time (R15.7-2)")
    func others() async throws {
        try await hold(100_000, of: offer())
        let strangers = [
            try await begin(offer(), from: ben), try await begin(offer(tag: 8)), try await begin(offer(size: 300_001)),
            try await begin(offer(kind: .executable)),
            try await begin(StoredOffer(name: "f.bin", size: 300_000)),
        ]
        #expect(strangers.allSatisfy { $0.beginning == nil })
        let first = try await begin(offer())
        #expect(first.beginning?.length == 100_000)
        // It waits for the first one, and then does without what is held.
        let waiting = Task { try await begin(offer()) }
        for _ in 0..<100 {
            try await eventually { clock.sleepers == 1 }
            clock.advance(by: .milliseconds(20))
        }
        let second = try await waiting.outcome()
        #expect(second.beginning == nil)
        for stranger in strangers + [second] { await stranger.file.discard() }
        await first.file.keep()
        #expect(try await begin(offer()).beginning?.length == 100_000)
    }

    @Test("A file that ends while the next one waits leaves it the held bytes")
    func waits() async throws {
        try await hold(100_000, of: offer())
        let first = try await begin(offer())
        let waiting = Task { try await begin(offer()) }
        try await eventually { clock.sleepers == 1 }
        await first.file.keep()
        clock.advance(by: .milliseconds(20))
        #expect(try await waiting.outcome().beginning?.length == 100_000)
    }

    @Test("Discarded bytes are gone; released ones are held")
    func discarded() async throws {
        try await hold(10, of: offer())
        await (try await begin(offer())).file.discard()
        #expect(scratch.names.isEmpty)
        do {
            let begun = try await begin(offer())
            withExtendedLifetime(begun) {}
        }
        #expect(heldCount(of: anna) == 1)
    }

    @Test("A file without a tag is not held, and keeps the permission to execute")
    func untagged() async throws {
        let begun = try await begin(StoredOffer(name: "run", size: 3, kind: .executable, modified: .max >> 2))
        try await begun.file.write([1, 2, 3])
        _ = try await begun.file.finish()
        #expect(try scratch.mode("run") == scratch.usualMode(true))
        let other = try await begin(StoredOffer(name: "x", size: 3))
        await other.file.keep()
        #expect(scratch.names == ["run"])
    }

    @Test("After a week a beginning is gone")
    func age() async throws {
        try await hold(10, of: offer())
        let week = HeldLimits().age
        #expect(try AbandonedFiles.sweep(scratch.path, now: now + week - 60).kept == 1)
        let late = try await begin(offer(), at: now + week + 86_400)
        #expect(late.beginning == nil)
        await late.file.discard()
        try await hold(10, of: offer())
        #expect(try AbandonedFiles.sweep(scratch.path, now: now + week + 86_400).removed == 1)
        #expect(scratch.names.isEmpty)
    }

    @Test("A sender's oldest beginnings make room for its new ones (R15.7-5)")
    func manyOfOneSender() async throws {
        var limits = HeldLimits()
        limits.countOfSender = 4
        for tag in 1...6 {
            try await hold(10, of: offer(tag: UInt8(tag)), limits: limits)
            let name = offer(tag: UInt8(tag)).heldName
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: Double(now) - 1_000 + Double(tag))],
                ofItemAtPath: scratch / "\(HeldFiles.folderName)/\(anna.description)/\(name)")
        }
        #expect(heldCount(of: anna) == 4)
        for (tag, isHeld) in [(1, false), (2, false), (3, true), (6, true)] {
            let names = try scratch.names(in: "\(HeldFiles.folderName)/\(anna.description)")
            #expect(names.contains(offer(tag: UInt8(tag)).heldName) == isHeld)
        }
        // The same holds for bytes.
        limits.bytesOfSender = 300_010
        try await hold(10, of: offer(tag: 9), limits: limits)
        #expect(heldCount(of: anna) == 2)
    }

    @Test("If all senders are over their limit, nothing new is held, and files arrive all the same (R15.7-5)")
    func manyOfAll() async throws {
        var limits = HeldLimits()
        limits.count = 1
        try await hold(10, of: offer(), limits: limits)
        let other = try await begin(offer(), from: ben, limits: limits)
        try await other.file.write([1])
        await other.file.keep()
        #expect(heldCount(of: ben) == 0 && heldCount(of: anna) == 1)
    }

    @Test("A beginning is removed once its sender has sent another file under that name: the source has changed")
    func replaced() async throws {
        let other = StoredOffer(name: "g.bin", size: 300_000, tag: [UInt8](repeating: 9, count: 16))
        try await hold(10, of: offer(tag: 1))
        try await hold(10, of: offer(tag: 2, size: 300_001))
        try await hold(10, of: other)
        try await hold(10, of: offer(tag: 1), from: ben)
        let inUse = try await begin(offer(tag: 3))
        #expect(heldCount(of: anna) == 4)
        // One that is not complete replaces nothing.
        try await hold(10, of: offer(tag: 4))
        #expect(heldCount(of: anna) == 5)
        let begun = try await begin(offer(tag: 4))
        try await begun.file.write(Array(Self.content.dropFirst(10)))
        _ = try await begun.file.finish()
        #expect(heldCount(of: anna) == 2 && heldCount(of: ben) == 1)
        #expect(try await begin(other).beginning?.length == 10)
        // A file that cannot be held replaces it too, such as one that is empty now.
        await inUse.file.keep()
        _ = try await (try await begin(StoredOffer(name: "f.bin", size: 0))).file.finish()
        #expect(heldCount(of: anna) == 1)
        await (try await begin(other)).file.discard()
        #expect(heldCount(of: anna) == 0 && heldCount(of: ben) == 1)
    }

    @Test("The same content continues under another name, and so does content of an earlier version (R15.7-2)")
    func renamed() async throws {
        try await hold(10, of: offer())
        let other = StoredOffer(name: "other.bin", size: 300_000, tag: offer().tag)
        #expect(try await ReceivedFile.checkRoom(for: other, from: anna, in: scratch.path) == 299_990)
        let begun = try await begin(other)
        #expect(begun.beginning?.length == 10)
        await begun.file.keep()
        let place = scratch / "\(HeldFiles.folderName)/\(anna.description)/"
        let tag = [String](repeating: "07", count: 16).joined()
        try FileManager.default.moveItem(atPath: place + offer().heldName, toPath: place + "\(tag)-300000-0-0.held")
        #expect(try await begin(offer()).beginning?.length == 10)
    }

    @Test("Links and other kinds of files in the place of a beginning are not followed")
    func links() async throws {
        try await hold(10, of: offer())
        let path = scratch / "\(HeldFiles.folderName)/\(anna.description)/\(offer().heldName)"
        let victim = try scratch.write("victim", "precious")
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: victim)
        let begun = try await begin(offer())
        #expect(begun.beginning == nil)
        try await begun.file.write(Self.content)
        #expect(try await begun.file.finish().path == scratch / "f.bin")
        #expect(try scratch.read("victim") == Array("precious".utf8))
    }
}

@Suite("Tags of outgoing files, SPEC §15.7")
struct OutgoingTagsTests {
    private func tags(_ path: String) throws -> OutgoingTags {
        let sodium = TestProvider.sodium
        var random: any RandomSource = sodium.random
        return try TagKeyFile.load(at: path, random: &random, secrets: sodium.secrets, hashing: sodium.hashing)
    }

    @Test("One file has one tag for one peer, and another for other peers, keys and content")
    func tag() async throws {
        let scratch = try Scratch()
        let path = try scratch.write("f", [1, 2, 3])
        let (anna, ben) = (
            try IdentityKey(rawBytes: [UInt8](repeating: 1, count: 32)),
            try IdentityKey(rawBytes: [UInt8](repeating: 2, count: 32))
        )
        let first = try tags(scratch / "key").tag(of: try await OutgoingFile.open(path), for: anna)
        #expect(first.count == 16 && first != FileOffer.noTag)
        #expect(try tags(scratch / "key").tag(of: try await OutgoingFile.open(path), for: anna) == first)
        #expect(try tags(scratch / "key").tag(of: try await OutgoingFile.open(path), for: ben) != first)
        #expect(try tags(scratch / "other").tag(of: try await OutgoingFile.open(path), for: anna) != first)
        #expect(try scratch.mode("key") == 0o600)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_000)], ofItemAtPath: path)
        #expect(try tags(scratch / "key").tag(of: try await OutgoingFile.open(path), for: anna) != first)
    }

    @Test("A key that others can read, or that is damaged, is not used")
    func badKeys() throws {
        let scratch = try Scratch()
        _ = try scratch.write("open", [UInt8](repeating: 1, count: 32), mode: 0o644)
        #expect(storageError { _ = try tags(scratch / "open") }?.reason == .readableByOthers(mode: 0o644))
        _ = try scratch.write("short", [1, 2])
        #expect(storageError { _ = try tags(scratch / "short") }?.reason == .malformed(line: 1))
    }
}
