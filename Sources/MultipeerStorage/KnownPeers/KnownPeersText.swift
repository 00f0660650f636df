import MultipeerCertificates
import MultipeerCrypto

/// The text of a file of known peers (docs/formats.md):
///
///     multipeer-known-peers 1
///     IDENTITY-KEY LEAF-FINGERPRINT-OR-- DISPLAY NAME
enum KnownPeersText {
    private static let header = "multipeer-known-peers "
    private static let version = "1"
    private static let noLeaf = "-"

    /// The greatest number of peers.
    static let maximumPeers = 10_000
    /// A length that no valid file exceeds, in bytes: 10,000 lines of at most 201 bytes, and the header.
    static let maximumLength = 2_100_000

    static func encode(_ peers: [KnownPeer]) -> [UInt8] {
        var text = header + version + "\n"
        for peer in peers {
            text += "\(peer.key) \(peer.leafFingerprint?.description ?? noLeaf) \(peer.name)\n"
        }
        return Array(text.utf8)
    }

    /// Accepts exactly what ``encode(_:)`` writes. One damaged line makes the whole file invalid, because nobody knows
    /// what it said.
    static func decode(_ bytes: [UInt8], path: String) throws(StorageError) -> [KnownPeer] {
        guard let text = String(validating: bytes, as: UTF8.self), text.utf8.last == UInt8(ascii: "\n") else {
            throw StorageError(.read, path, .malformed(line: 1))
        }
        // Lines and fields end with bytes, not with Characters. In Swift `\r\n` is one Character, and so is a space
        // with the combining mark that a name may begin with.
        let lines = text.utf8.dropLast().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard let first = lines.first, first.starts(with: header.utf8) else {
            throw StorageError(.read, path, .malformed(line: 1))
        }
        guard first.dropFirst(header.utf8.count).elementsEqual(version.utf8) else {
            throw StorageError(.read, path, .unsupportedVersion)
        }
        guard lines.count <= maximumPeers + 1 else { throw StorageError(.read, path, .malformed(line: lines.count)) }
        var peers: [KnownPeer] = []
        var names: Set<DisplayName> = []
        for (index, line) in lines.enumerated().dropFirst() {
            guard let peer = peer(line), names.insert(peer.name).inserted else {
                throw StorageError(.read, path, .malformed(line: index + 1))
            }
            peers.append(peer)
        }
        return peers
    }

    private static func peer(_ line: Substring.UTF8View) -> KnownPeer? {
        let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard fields.count == 3, let key = IdentityKey(fields[0]), key.description == fields[0],
            let name = try? DisplayName(fields[2])
        else { return nil }
        guard fields[1] != noLeaf else { return KnownPeer(name: name, key: key, leafFingerprint: nil) }
        guard let leaf = KeyFingerprint(fields[1]), leaf.description == fields[1] else { return nil }
        return KnownPeer(name: name, key: key, leafFingerprint: leaf)
    }
}
