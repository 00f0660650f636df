import FuzzSupport
import MultipeerCrypto
import MultipeerSodium
import MultipeerStorage
import MultipeerWire

/// The identity file of docs/formats.md, read by us and by a model that was written from that page.
enum IdentityFileOracle {
    private static var secrets: any SecretAllocator { FuzzCrypto.sodium.secrets }

    static func read(_ text: [UInt8]) throws {
        let expected = ModelIdentityText(text)
        do {
            let identity = try IdentityFile.parse(text.span, secrets: secrets, place: "p")
            try require(expected != nil, "an identity text that docs/formats.md does not allow")
            try requireEqual(identity.name.utf8Bytes, expected?.name ?? [], "the name of an identity")
            try requireEqual(bytes(of: identity.seed), expected?.seed ?? [], "the seed of an identity")
            try requireEqual(try written(identity.name, identity.seed), text, "an identity, written again")
        } catch let error as StorageError {
            try require(expected == nil, "an identity text that docs/formats.md allows: \(error.reason)")
            try checkReason(error, text)
        }
    }

    /// A value is written, and read again.
    static func write(_ choices: inout Choices) throws {
        let fill = choices.byte()
        guard let text = String(validating: choices.bytes(upTo: 63), as: UTF8.self),
            let name = try? DisplayName(text)
        else { return }
        let seed = (0..<UInt8(IdentityFile.seedLength)).map { $0 &* 37 &+ fill }
        var secret = try secrets.makeSecret(count: seed.count)
        secret.withMutableBytes { bytes in
            for index in seed.indices { bytes[index] = seed[index] }
        }
        let file = try written(name, secret)
        try require(ModelIdentityText(file) != nil, "what is written is an identity text of docs/formats.md")
        try read(file)
    }

    private static func written(_ name: DisplayName, _ seed: borrowing Secret) throws -> [UInt8] {
        bytes(of: try IdentityFile.text(name: name, seed: seed, secrets: secrets, place: "p"))
    }

    private static func bytes(of secret: borrowing Secret) -> [UInt8] {
        secret.withBytes { [UInt8](copying: $0) }
    }

    /// The reason names a line that the text has, or the one after its end; and no part of what is there.
    private static func checkReason(_ error: StorageError, _ text: [UInt8]) throws(OracleFailure) {
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        switch error.reason {
        case .malformed(let line): try require((1...lines.count).contains(line), "line \(line) of \(lines.count)")
        case .unsupportedVersion:
            try require(text.starts(with: Array("multipeer-identity ".utf8)), "a version without a header")
        case .tooLarge(let limit): try require(text.count > limit, "too large at \(text.count) bytes")
        default: throw OracleFailure("an identity text is refused for \(error.reason)")
        }
        // What a person may see or send on: it must not hold four bytes of the seed.
        let shown = Array("\(error) \(error.remedy)".utf8)
        for line in lines where line.starts(with: Array("seed ".utf8)) && line.count > 12 {
            for start in line.indices.dropFirst(5).dropLast(7) {
                let piece = line[start..<(start + 8)]
                guard piece.allSatisfy(isDigit) else { continue }
                try require(!contains(shown, piece), "an error shows a piece of the seed's line")
            }
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }

    private static func contains(_ text: [UInt8], _ piece: ArraySlice<UInt8>) -> Bool {
        guard text.count >= piece.count else { return false }
        return (0...(text.count - piece.count)).contains { text[$0..<($0 + piece.count)].elementsEqual(piece) }
    }
}
