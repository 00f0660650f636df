import FuzzSupport
import MultipeerCrypto
import MultipeerVectors

/// One of each kind; the names of files and of peers are those of the vectors.
enum StoredFilesSeeds {
    private static let key = String(repeating: "0123456789abcdef", count: 4)

    static func make(_ vectors: VectorSet) -> [[UInt8]] {
        let names = vectors.bytes(of: .displayName, "name")
        return files.map { [$0.kind] + Array($0.text.utf8) }
            + names.map { [5] + $0 }
            + names.map { [1, 0, UInt8(truncatingIfNeeded: $0.count)] + $0 }
            + names.map { [3, 1, 1, UInt8(truncatingIfNeeded: $0.count)] + $0 }
            + vectors.bytes(of: .fileName, "name").map { [6] + $0 }
            + longNames.map { [6] + Array($0.utf8) }
    }

    /// Of which less is left than comes.
    private static let longNames = ["CON", "com1", "a"].flatMap { start in
        ["x", "x.txt"].map { start + String(repeating: " ", count: 200) + $0 }
    }

    private static let files: [(kind: UInt8, text: String)] = [
        (0, "multipeer-identity 1\nname Ada's laptop\nseed \(key)\n"),
        (0, "multipeer-identity 2\nname Ada\nseed \(key)\n"),
        (0, "multipeer-identity 1\nname é 😀\nseed \(key.uppercased())\n"),
        (2, "multipeer-known-peers 1\n"),
        (2, "multipeer-known-peers 1\n\(key) - Ada\n\(key) sha256:\(key) Ada's laptop\n"),
        (2, "multipeer-known-peers 1\n\(key) -  Ada \n\(key) - é\n\(key) - e\u{301}\n"),
        (2, "multipeer-known-peers 2\n"),
        (2, "multipeer-known-peers 2\n\(key) - - Ada\n\(key) sha256:\(key) desk.local:4711 Ben\tBenjamin\n"),
        (2, "multipeer-known-peers 3\n"),
        (2, "multipeer-known-peers 3\n\(key) - - - Ada\n\(key) sha256:\(key) desk.local:4711 code Ben\tBenjamin\n"),
        (2, "multipeer-known-peers 3\n\(key) - - string Ada\n\(key) - - words Ben\n"),
        (2, "multipeer-known-peers 4\n"),
        (4, key), (4, "sha256:" + key),
        (4, "SHA256:" + Array(repeating: "AB", count: 32).joined(separator: ":")),
    ]
}
