import Foundation
import MultipeerCertificates
import MultipeerCrypto
import MultipeerStorage
import MultipeerTestSupport
import Testing

/// - Parameter address: Where the local peer has called it. A peer that came unasked does not have its name for itself.
private func peer(_ name: String, key: UInt8, leaf: UInt8? = nil, at address: String? = nil) throws -> KnownPeer {
    KnownPeer(
        name: try DisplayName(name), key: try IdentityKey(rawBytes: [UInt8](repeating: key, count: 32)),
        leafFingerprint: try leaf.map {
            KeyFingerprint(digest: try Digest(rawBytes: [UInt8](repeating: $0, count: 32)))
        }, address: try address.map { try #require(PeerAddress($0)) })
}

private func failure(_ body: () async throws -> Void) async -> KnownPeersStoreFailure? {
    do {
        try await body()
        return nil
    } catch {
        return error as? KnownPeersStoreFailure
    }
}

@Suite("The file of known peers, docs/formats.md", .endsIfItHangs)
struct KnownPeersFileTests {
    @Test("Peers are remembered across instances, and forgotten")
    func remembering() async throws {
        let scratch = try Scratch()
        let store = KnownPeersFile(path: scratch / "known")
        let ada = try peer("Ada's laptop", key: 1, leaf: 2)
        let grace = try peer("Grace", key: 3, at: "desk:1")
        #expect(try await store.recognise(ada) == .unknown)
        #expect(!FileManager.default.fileExists(atPath: store.path))
        #expect(try await store.rememberIfUnknown(ada) == .nowRemembered)
        #expect(try await store.rememberIfUnknown(grace) == .nowRemembered)
        #expect(try await store.rememberIfUnknown(peer("Grace", key: 4)) == .doubtful(.name(grace)))
        #expect(try await store.rememberIfUnknown(peer("Amazing Grace", key: 3)) == .alreadyKnown(grace))
        let again = KnownPeersFile(path: scratch / "known")
        #expect(try await again.all() == [ada, grace])
        #expect(try await again.recognise(grace) == .known(grace))
        #expect(try await again.peers(named: grace.name) == [grace])
        #expect(try scratch.mode("known") == 0o600)
        #expect(scratch.names == ["known", "known.lock"])
        #expect(try await again.forget(ada.name))
        #expect(try await !again.forget(ada.name))
        #expect(try await store.all() == [grace])
    }

    @Test("A symbolic link in place of the lock file is refused, and nothing is created at its target")
    func linkedLock() async throws {
        let scratch = try Scratch()
        let store = KnownPeersFile(path: scratch / "known")
        let ada = try peer("Ada", key: 1)
        try FileManager.default.createSymbolicLink(
            atPath: scratch / "known.lock", withDestinationPath: scratch / "elsewhere")
        #expect(await failure { _ = try await store.rememberIfUnknown(ada) } != nil)
        #expect(scratch.names == ["known.lock"])
        // The same where the link leads to a file.
        let file = try scratch.write("elsewhere", "mine", mode: 0o644)
        #expect(await failure { _ = try await store.rememberIfUnknown(ada) } != nil)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
        #expect(try scratch.mode("elsewhere") == 0o644)
        #expect(scratch.names == ["elsewhere", "known.lock"])
    }

    @Test("The text matches docs/formats.md")
    func text() async throws {
        let scratch = try Scratch()
        let store = KnownPeersFile(path: scratch / "known")
        _ = try await store.rememberIfUnknown(peer("Ada's laptop", key: 0xAB, leaf: 0xCD))
        let grace = try peer("Grace", key: 1)
        let address = try #require(PeerAddress("Desk.local:4711"))
        _ = try await store.rememberIfUnknown(
            KnownPeer(name: grace.name, key: grace.key, leafFingerprint: nil, address: address))
        #expect(try await store.rename(grace.key, to: DisplayName("Admiral Hopper")).count == 1)
        try await store.remember(peer("Another name", key: 1), verifiedBy: .oneTimeCode)
        #expect(try await store.rename(IdentityKey(rawBytes: [UInt8](repeating: 9, count: 32)), to: nil).isEmpty)
        let text = String(decoding: try scratch.read("known"), as: UTF8.self)
        let expected = [
            "multipeer-known-peers 3",
            String(repeating: "ab", count: 32) + " sha256:" + String(repeating: "cd", count: 32) + " - - Ada's laptop",
            String(repeating: "01", count: 32) + " - desk.local:4711 code Grace\tAdmiral Hopper", "",
        ]
        #expect(text == expected.joined(separator: "\n"))
        // Both names of a peer that a person has renamed are its own.
        let again = KnownPeersFile(path: scratch / "known")
        #expect(try await again.recognise(grace) == .known(try await store.all()[1]))
        for name in ["Grace", "admiral hopper"] {
            guard case .doubtful = try await again.recognise(peer(name, key: 5)) else {
                Issue.record("\(name) is not doubtful")
                continue
            }
        }
        #expect(try await again.forget(grace.key).map(\.name) == [grace.name])
        #expect(try await store.recognise(grace) == .unknown)
    }

    @Test("A verified key is remembered whatever is known of its name, and later changes keep the verification")
    func verified() async throws {
        let scratch = try Scratch()
        let store = KnownPeersFile(path: scratch / "known")
        _ = try await store.rememberIfUnknown(peer("Ada", key: 1))
        try await store.remember(peer("Ada", key: 2), verifiedBy: .shortString)
        #expect(try await store.all().map(\.verification) == [nil, .shortString])
        _ = try await store.rename(peer("Ada", key: 2).key, to: DisplayName("The other Ada"))
        let again = try await KnownPeersFile(path: scratch / "known").all()
        #expect(again.map(\.verification) == [nil, .shortString] && again[1].label?.description == "The other Ada")
    }

    @Test(
        "Older versions are read, and become version 3 with the next change",
        arguments: [
            ("1", "KEY - Ada \nKEY sha256:LEAF Ben\n"), ("2", "KEY - - Ada \nKEY sha256:LEAF desk:1 Ben\tBenny\n"),
        ])
    func oldVersion(version: String, lines: String) async throws {
        let scratch = try Scratch()
        let filled = lines.replacingOccurrences(of: "KEY", with: String(repeating: "ab", count: 32))
            .replacingOccurrences(of: "LEAF", with: String(repeating: "cd", count: 32))
        _ = try scratch.write("known", "multipeer-known-peers \(version)\n\(filled)")
        let store = KnownPeersFile(path: scratch / "known")
        let before = try await store.all()
        #expect(before.map(\.name.description) == ["Ada ", "Ben"] && before.allSatisfy { $0.verification == nil })
        #expect(before[1].address?.description == (version == "1" ? nil : "desk:1"))
        _ = try await store.rememberIfUnknown(peer("Cleo", key: 1))
        #expect(try await KnownPeersFile(path: scratch / "known").all().prefix(2) == before[...])
        #expect(try scratch.read("known").starts(with: Array("multipeer-known-peers 3\n".utf8)))
    }

    private static func run(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test("The file is read again only when it has changed; its permissions are checked each time")
    func cache() async throws {
        let scratch = try Scratch()
        let store = KnownPeersFile(path: scratch / "known")
        let (ada, ben) = (try peer("Ada", key: 1), try peer("Ben", key: 2))
        _ = try await store.rememberIfUnknown(ada)
        let path = store.path
        // Content that changes in place, under the same times, is seen by no reader that has read the file before: it
        // is not read again.
        try Self.run("touch", "-r", path, scratch / "times")
        let text = String(decoding: try scratch.read("known"), as: UTF8.self).replacing("Ada", with: "Eve")
        let handle = try #require(FileHandle(forUpdatingAtPath: path))
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
        try Self.run("touch", "-r", scratch / "times", path)
        #expect(try await store.all().map(\.name.description) == ["Ada"])
        #expect(try await KnownPeersFile(path: path).all().map(\.name.description) == ["Eve"])
        // Another instance writes: this one sees it.
        try FileManager.default.removeItem(atPath: path)
        #expect(try await store.recognise(ada) == .unknown)
        _ = try await KnownPeersFile(path: path).rememberIfUnknown(ben)
        #expect(try await store.recognise(ben) == .known(ben))
        // Rights are looked at each time.
        try FileManager.default.setAttributes([.posixPermissions: 0o622], ofItemAtPath: path)
        #expect(await failure { _ = try await store.recognise(ben) } == .unreadable)
    }

    @Test(
        "A name that begins with a combining mark is read again, and damages no other entry",
        arguments: ["\u{301}", "\u{301}Ada", "\u{FE0F}", "\u{302} x", "\u{E0101}"])
    func combiningMarks(name: String) async throws {
        let scratch = try Scratch()
        let store = KnownPeersFile(path: scratch / "known")
        let (ada, marked) = (try peer("Ada", key: 1), try peer(name, key: 2, leaf: 3))
        _ = try await store.rememberIfUnknown(ada)
        #expect(try await store.rememberIfUnknown(marked) == .nowRemembered)
        #expect(try await store.all() == [ada, marked])
        #expect(try await store.peers(named: marked.name).map(\.name.utf8Bytes) == [Array(name.utf8)])
    }

    @Test("Many at once lose nothing, and one key wins each name")
    func concurrency() async throws {
        let scratch = try Scratch()
        let outcomes = try await withThrowingTaskGroup(of: RememberOutcome.self) { group in
            for name in 0..<8 {
                for key in 0..<4 {
                    // A store each: what one process's instances do, two processes do.
                    let store = KnownPeersFile(path: scratch / "known")
                    let shown = try peer("Peer \(name)", key: UInt8(name * 4 + key), at: "desk-\(name)-\(key):1")
                    group.addTask { try await store.rememberIfUnknown(shown) }
                }
            }
            return try await group.reduce(into: [RememberOutcome]()) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == .nowRemembered } == 8)
        let all = try await KnownPeersFile(path: scratch / "known").all()
        #expect(Set(all.map(\.name)).count == 8)
        #expect(all.count == 8)
    }

    @Test("Trust on first use over the file: one first use, the others another identity")
    func firstUse() async throws {
        let scratch = try Scratch()
        let verdicts = try await withThrowingTaskGroup(of: Verdict.self) { group in
            for key in 0..<8 {
                let validator = TrustOnFirstUseValidator(store: KnownPeersFile(path: scratch / "known"))
                let shown = try peer("Ada", key: UInt8(key))
                var evidence = PeerEvidence(
                    peer: PeerID(key: shown.key, displayName: shown.name), chain: nil, leafFingerprint: nil)
                evidence.origin = .dialled(try #require(PeerAddress("desk-\(key):1")))
                let called = evidence
                group.addTask { await validator.verify(called) }
            }
            return try await group.reduce(into: [Verdict]()) { $0.append($1) }
        }
        #expect(verdicts.count { $0 == .accepted(.firstUse) } == 1)
        #expect(verdicts.count { $0 == .rejected(.identityChanged) } == 7)
    }

    /// Starts a process that has the lock of a store until it gets a line. It runs a command of the shell before it ends.
    private static func holdLock(
        of store: KnownPeersFile, finally command: String
    ) throws -> (process: Process, input: FileHandle) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "flock", store.path + ".lock", "sh", "-c", "umask 077; echo held; read go; " + command,
        ]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        #expect(output.fileHandleForReading.availableData == Data("held\n".utf8))
        return (process, input.fileHandleForWriting)
    }

    @Test("A lock that another process holds is waited for, and its entry seen")
    func processes() async throws {
        let (scratch, clock) = (try Scratch(), ManualClock())
        let store = KnownPeersFile(path: scratch / "known", clock: clock)
        let first = try peer("Ada", key: 1, at: "desk:1")
        let line = "\(first.key) - desk:1 \(first.name)"
        let (process, input) = try Self.holdLock(
            of: store, finally: "printf 'multipeer-known-peers 2\\n\(line)\\n' > '\(store.path)'")
        let outcome = Task { try await store.rememberIfUnknown(peer("Ada", key: 2)) }
        try await eventually { clock.sleepers == 1 }
        try input.write(contentsOf: Data("go\n".utf8))
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        clock.advance(by: .milliseconds(10))
        #expect(try await outcome.outcome() == .doubtful(.name(first)))
    }

    @Test("A lock that is never released is waited for during five seconds, and nothing is remembered")
    func heldLock() async throws {
        let (scratch, clock) = (try Scratch(), ManualClock())
        let store = KnownPeersFile(path: scratch / "known", clock: clock)
        let (process, input) = try Self.holdLock(of: store, finally: "true")
        let outcome = Task { await failure { _ = try await store.rememberIfUnknown(peer("Ada", key: 1)) } }
        for _ in 0..<500 {
            try await eventually { clock.sleepers == 1 }
            clock.advance(by: .milliseconds(10))
        }
        #expect(try await outcome.outcome() == .busy)
        #expect(try await store.all().isEmpty)
        try input.write(contentsOf: Data("go\n".utf8))
        process.waitUntilExit()
        #expect(try await store.rememberIfUnknown(peer("Ada", key: 1)) == .nowRemembered)
    }

    @Test("A damaged or exposed file fails closed and is left unchanged")
    func damage() async throws {
        let key = String(repeating: "ab", count: 32)
        let cases: [(String, StorageError.Reason)] = [
            ("", .malformed(line: 1)),
            ("multipeer-known-peers 1", .malformed(line: 1)),
            ("something else\n", .malformed(line: 1)),
            ("multipeer-known-peers 4\n", .unsupportedVersion),
            ("multipeer-known-peers 2\n\(key) - Ada\n", .malformed(line: 2)),
            ("multipeer-known-peers 3\n\(key) - - Ada\n", .malformed(line: 2)),
            ("multipeer-known-peers 3\n\(key) - - -\n", .malformed(line: 2)),
            ("multipeer-known-peers 3\n\(key) - - words Ada\n", .malformed(line: 2)),
            ("multipeer-known-peers 3\n\(key) - DESK:1 - Ada\n", .malformed(line: 2)),
            ("multipeer-known-peers 3\n\(key) - \u{E9}:1 - Ada\n", .malformed(line: 2)),
            ("multipeer-known-peers 3\n\(key) - - - Ada\t\n", .malformed(line: 2)),
            ("multipeer-known-peers 3\n\(key) - - - Ada\tB\tC\n", .malformed(line: 2)),
            ("multipeer-known-peers 3\n\(key) - - - Ada\n\(key) - a:1 - Ada\n", .malformed(line: 3)),
            ("multipeer-known-peers 1\n\n", .malformed(line: 2)),
            ("multipeer-known-peers 1\n\(key) -\n", .malformed(line: 2)),
            ("multipeer-known-peers 1\n\(key) - \n", .malformed(line: 2)),
            ("multipeer-known-peers 1\n\(key.dropLast()) - Ada\n", .malformed(line: 2)),
            ("multipeer-known-peers 1\n\(key.uppercased()) - Ada\n", .malformed(line: 2)),
            ("multipeer-known-peers 1\n\(key) \(key) Ada\n", .malformed(line: 2)),
            ("multipeer-known-peers 1\n\(key) - Ada\r\n", .malformed(line: 2)),
            ("multipeer-known-peers 1\n\(key) - Ada\n\(key) - Ada\n", .malformed(line: 3)),
        ]
        let scratch = try Scratch()
        let store = KnownPeersFile(path: scratch / "known")
        for (text, expected) in cases {
            _ = try scratch.write("known", text)
            let error = await asyncStorageError { _ = try await store.all() }
            #expect(error == StorageError(.read, store.path, expected), "\(text)")
            #expect(await failure { _ = try await store.rememberIfUnknown(peer("New", key: 1)) } == .damaged)
            #expect(try scratch.read("known") == Array(text.utf8))
        }
        _ = try scratch.write("known", "multipeer-known-peers 1\n", mode: 0o620)
        #expect(await failure { _ = try await store.rememberIfUnknown(peer("New", key: 1)) } == .unreadable)
        let elsewhere = KnownPeersFile(path: scratch / "no/known")
        #expect(await failure { _ = try await elsewhere.rememberIfUnknown(peer("New", key: 1)) } == .unreadable)
    }

    @Test("A full store accepts no new peer")
    func full() async throws {
        let scratch = try Scratch()
        var text = "multipeer-known-peers 1\n"
        let key = String(repeating: "ab", count: 32)
        for number in 0..<10_000 { text += "\(key) - Peer \(number)\n" }
        _ = try scratch.write("known", text)
        let store = KnownPeersFile(path: scratch / "known")
        #expect(try await store.all().count == 10_000)
        #expect(await failure { _ = try await store.rememberIfUnknown(peer("New", key: 1)) } == .full)
        #expect(try await store.forget(DisplayName("Peer 0")))
        #expect(try await store.rememberIfUnknown(peer("New", key: 1)) == .nowRemembered)
        let validator = TrustOnFirstUseValidator(store: store)
        let late = try peer("Newer", key: 2)
        let evidence = PeerEvidence(
            peer: PeerID(key: late.key, displayName: late.name), chain: nil, leafFingerprint: nil)
        #expect(await validator.verify(evidence) == .rejected(.storeFull))
    }
}
