import MultipeerCertificates
import MultipeerCrypto

/// The text of a file of known peers (docs/formats.md):
///
///     multipeer-known-peers 2
///     IDENTITY-KEY LEAF-FINGERPRINT-OR-- ADDRESS-OR-- DISPLAY NAME [TAB LABEL]
///
/// Version 1, which has neither addresses nor labels, is still read.
enum KnownPeersText {
    private static let header = "multipeer-known-peers "
    private static let version = "2"
    private static let oldVersion = "1"
    private static let nothing = "-"

    /// The greatest number of peers.
    static let maximumPeers = KnownPeersIndex.maximumPeers
    /// A length that no valid file exceeds, in bytes: 10,000 lines of at most 521 bytes, and the header.
    static let maximumLength = 5_300_000

    static func encode(_ peers: [KnownPeer]) -> [UInt8] {
        var text = header + version + "\n"
        for peer in peers {
            text += "\(peer.key) \(peer.leafFingerprint?.description ?? nothing) "
            text += "\(peer.address?.description ?? nothing) \(peer.name)"
            if let label = peer.label { text += "\t\(label)" }
            text += "\n"
        }
        return Array(text.utf8)
    }

    /// Accepts exactly what ``encode(_:)`` writes, and version 1. One damaged line makes the whole file invalid, because
    /// nobody knows what it said.
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
        let stated = first.dropFirst(header.utf8.count)
        let isOld = stated.elementsEqual(oldVersion.utf8)
        guard isOld || stated.elementsEqual(version.utf8) else { throw StorageError(.read, path, .unsupportedVersion) }
        guard lines.count <= maximumPeers + 1 else { throw StorageError(.read, path, .malformed(line: lines.count)) }
        var peers: [KnownPeer] = []
        var seen: Set<Entry> = []
        for (index, line) in lines.enumerated().dropFirst() {
            guard let peer = isOld ? oldPeer(line) : peer(line),
                seen.insert(Entry(name: peer.name, key: isOld ? nil : peer.key)).inserted
            else { throw StorageError(.read, path, .malformed(line: index + 1)) }
            peers.append(peer)
        }
        return peers
    }

    /// What stands once: in version 1 a name, and now a name with a key.
    private struct Entry: Hashable {
        let name: DisplayName
        let key: IdentityKey?
    }

    private static func fields(_ line: Substring.UTF8View, count: Int) -> [String]? {
        let fields = line.split(separator: UInt8(ascii: " "), maxSplits: count - 1, omittingEmptySubsequences: false)
        return fields.count == count ? fields.map { String(Substring($0)) } : nil
    }

    private static func oldPeer(_ line: Substring.UTF8View) -> KnownPeer? {
        guard let fields = fields(line, count: 3), let name = try? DisplayName(fields[2]) else { return nil }
        return peer(fields, name: name, address: nil, label: nil)
    }

    private static func peer(_ line: Substring.UTF8View) -> KnownPeer? {
        guard let fields = fields(line, count: 4) else { return nil }
        let names = fields[3].utf8.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
            .map { try? DisplayName(String(Substring($0))) }
        guard names.count <= 2, let name = names[0] else { return nil }
        var label: DisplayName?
        if names.count == 2 {
            guard let second = names[1] else { return nil }
            label = second
        }
        var address: PeerAddress?
        if fields[2] != nothing {
            guard let text = PeerAddress(fields[2]), text.description == fields[2] else { return nil }
            address = text
        }
        return peer(fields, name: name, address: address, label: label)
    }

    private static func peer(
        _ fields: [String], name: DisplayName, address: PeerAddress?, label: DisplayName?
    ) -> KnownPeer? {
        guard let key = IdentityKey(fields[0]), key.description == fields[0] else { return nil }
        var leaf: KeyFingerprint?
        if fields[1] != nothing {
            guard let fingerprint = KeyFingerprint(fields[1]), fingerprint.description == fields[1] else { return nil }
            leaf = fingerprint
        }
        return KnownPeer(name: name, key: key, leafFingerprint: leaf, address: address, label: label)
    }
}
