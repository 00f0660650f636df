import Foundation
import MultipeerCrypto
import MultipeerStorage
import MultipeerTestSupport
import Testing

private let secrets = lockedMemory

private func seed(_ first: UInt8) throws -> Secret {
    var seed = try secrets.makeSecret(count: 32)
    seed.withMutableBytes { bytes in
        for index in 0..<32 { bytes[index] = first &+ UInt8(index) }
    }
    return seed
}

@Suite("Identity files, docs/formats.md")
struct IdentityFileTests {
    @Test(
        "A written identity is read back",
        arguments: ["Ada", "Zoë's laptop", "  spaces  ", String(repeating: "x", count: 63)])
    func roundTrip(name: String) throws {
        let scratch = try Scratch()
        let path = scratch / "identity"
        let seed = try seed(0xF0)
        try IdentityFile.create(at: path, name: DisplayName(name), seed: seed, secrets: secrets)
        #expect(try scratch.mode("identity") == 0o600)
        #expect(scratch.names == ["identity"])
        let loaded = try IdentityFile.load(at: path, secrets: secrets)
        #expect(loaded.name.description == name)
        let (written, read) = (seed.copied(), loaded.seed.copied())
        #expect(written == read)
    }

    @Test("The text matches docs/formats.md")
    func text() throws {
        let scratch = try Scratch()
        try IdentityFile.create(
            at: scratch / "identity", name: DisplayName("Ada"), seed: seed(0xF0), secrets: secrets)
        let text = String(decoding: try scratch.read("identity"), as: UTF8.self)
        #expect(
            text == """
                multipeer-identity 1
                name Ada
                seed f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff000102030405060708090a0b0c0d0e0f

                """)
    }

    @Test("An identity is never overwritten, nor is any other file")
    func noOverwriting() throws {
        let scratch = try Scratch()
        let path = try scratch.write("identity", "precious")
        let error = storageError {
            try IdentityFile.create(at: path, name: DisplayName("Ada"), seed: seed(1), secrets: secrets)
        }
        #expect(error == StorageError(.publish, path, .alreadyExists))
        #expect(try scratch.read("identity") == Array("precious".utf8))
        #expect(scratch.names == ["identity"])
        // A dangling link is something too.
        try FileManager.default.createSymbolicLink(atPath: scratch / "link", withDestinationPath: scratch / "nowhere")
        let linked = storageError {
            try IdentityFile.create(at: scratch / "link", name: DisplayName("Ada"), seed: seed(1), secrets: secrets)
        }
        #expect(linked?.reason == .alreadyExists)
        #expect(scratch.names == ["identity", "link"])
    }

    @Test("Of many that create at once, one wins and its content stays")
    func race() async throws {
        let scratch = try Scratch()
        let path = scratch / "identity"
        let winners = await withTaskGroup(of: Int?.self) { group in
            for number in 0..<16 {
                group.addTask {
                    let error = storageError {
                        try IdentityFile.create(
                            at: path, name: DisplayName("Peer \(number)"), seed: seed(UInt8(number)), secrets: secrets)
                    }
                    #expect(error == nil || error?.reason == .alreadyExists)
                    return error == nil ? number : nil
                }
            }
            return await group.reduce(into: [Int]()) { if let number = $1 { $0.append(number) } }
        }
        #expect(winners.count == 1)
        let loaded = try IdentityFile.load(at: path, secrets: secrets)
        #expect(loaded.name.description == "Peer \(winners.first ?? -1)")
        #expect(scratch.names == ["identity"])
    }

    @Test("A file that others may read is refused, with the remedy", arguments: [0o640, 0o604, 0o660, 0o644, 0o601])
    func permissions(mode: Int) throws {
        let scratch = try Scratch()
        let path = scratch / "identity"
        try IdentityFile.create(at: path, name: DisplayName("Ada"), seed: seed(1), secrets: secrets)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        let error = storageError { _ = try IdentityFile.load(at: path, secrets: secrets) }
        #expect(error == StorageError(.open, path, .readableByOthers(mode: UInt32(mode))))
        #expect(error?.remedy.contains("chmod 600") == true)
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: path)
        #expect(storageError { _ = try IdentityFile.load(at: path, secrets: secrets) } == nil)
    }

    @Test("A foreign file is refused without waiting or following links")
    func kinds() throws {
        let scratch = try Scratch()
        func reason(_ name: String) -> StorageError.Reason? {
            storageError { _ = try IdentityFile.load(at: scratch / name, secrets: secrets) }?.reason
        }
        #expect(reason("missing") == .notFound)
        try FileManager.default.createDirectory(atPath: scratch / "directory", withIntermediateDirectories: false)
        #expect(reason("directory") == .isDirectory)
        #expect(mkfifo(scratch / "pipe", 0o600) == 0)
        #expect(reason("pipe") == .notRegularFile)
        try IdentityFile.create(at: scratch / "real", name: DisplayName("Ada"), seed: seed(1), secrets: secrets)
        try FileManager.default.createSymbolicLink(atPath: scratch / "link", withDestinationPath: scratch / "real")
        #expect(reason("link") == .isSymbolicLink)
        #expect(reason("real") == nil)
        #expect(reason("real\u{0}suffix") == .unsafeName)
    }

    @Test("Any damage is reported by its line")
    func damage() throws {
        let digits = String(repeating: "0f", count: 32)
        let cases: [(String, StorageError.Reason)] = [
            ("", .malformed(line: 1)),
            ("multipeer-identity 1", .malformed(line: 1)),
            ("multipeer-identify 1\nname Ada\nseed \(digits)\n", .malformed(line: 1)),
            ("multipeer-identity 2\nname Ada\nseed \(digits)\n", .unsupportedVersion),
            ("multipeer-identity 11\nname Ada\nseed \(digits)\n", .unsupportedVersion),
            ("multipeer-identity 1\r\nname Ada\r\nseed \(digits)\r\n", .unsupportedVersion),
            ("multipeer-identity 1\nnick Ada\nseed \(digits)\n", .malformed(line: 2)),
            ("multipeer-identity 1\nname \nseed \(digits)\n", .malformed(line: 2)),
            ("multipeer-identity 1\nname \(String(repeating: "x", count: 64))\nseed \(digits)\n", .malformed(line: 2)),
            ("multipeer-identity 1\nname A\u{7}\nseed \(digits)\n", .malformed(line: 2)),
            ("multipeer-identity 1\nname Ada\nseed \(digits)", .malformed(line: 3)),
            ("multipeer-identity 1\nname Ada\nseed \(digits)0\n", .malformed(line: 3)),
            ("multipeer-identity 1\nname Ada\nseed \(digits.dropLast())\n", .malformed(line: 3)),
            ("multipeer-identity 1\nname Ada\nseed \(digits.uppercased())\n", .malformed(line: 3)),
            ("multipeer-identity 1\nname Ada\nseed \(digits.dropLast())g\n", .malformed(line: 3)),
            ("multipeer-identity 1\nname Ada\nseed \(digits)\n\n", .malformed(line: 4)),
            ("multipeer-identity 1\nname Ada\nseed \(digits)\nmore\n", .malformed(line: 4)),
            (String(repeating: "x", count: 257), .tooLarge(limit: 256)),
        ]
        let scratch = try Scratch()
        for (text, expected) in cases {
            let path = try scratch.write("identity", text)
            let error = storageError { _ = try IdentityFile.load(at: path, secrets: secrets) }
            #expect(error == StorageError(.read, path, expected), "\(text)")
        }
        let invalid = try scratch.write(
            "identity", Array("multipeer-identity 1\nname ".utf8) + [0xFF] + Array("\nseed \(digits)\n".utf8))
        #expect(
            storageError { _ = try IdentityFile.load(at: invalid, secrets: secrets) }?.reason == .malformed(line: 2))
    }

    @Test("Every prefix of a file is refused")
    func prefixes() throws {
        let scratch = try Scratch()
        try IdentityFile.create(at: scratch / "whole", name: DisplayName("Ada"), seed: seed(1), secrets: secrets)
        let whole = try scratch.read("whole")
        for length in whole.indices {
            let path = try scratch.write("cut", Array(whole.prefix(length)))
            #expect(storageError { _ = try IdentityFile.load(at: path, secrets: secrets) } != nil)
        }
    }
}
