import MultipeerCertificates
import MultipeerCrypto

/// The text of a file of known peers (docs/formats.md):
///
///     multipeer-known-peers 3
///     IDENTITY-KEY LEAF-FINGERPRINT-OR-- ADDRESS-OR-- VERIFIED-OR-- DISPLAY NAME [TAB LABEL]
///
/// Older versions are still read: 2, which does not say how a key was verified, and 1, which has neither addresses nor labels.
enum KnownPeersText {
    private static let header = "multipeer-known-peers "
    private static let nothing = "-"

    private enum Version: String {
        case first = "1"
        case second = "2"
        case current = "3"

        /// How many fields end with a space.
        var fieldsBeforeName: Int {
            switch self {
            case .first: 2
            case .second: 3
            case .current: 4
            }
        }
    }

    /// The greatest number of peers.
    static let maximumPeers = KnownPeersIndex.maximumPeers
    /// A length that no valid file exceeds, in bytes: 10,000 lines of at most 528 bytes, and the header.
    static let maximumLength = 5_400_000

    static func encode(_ peers: [KnownPeer]) -> [UInt8] {
        var text = header + Version.current.rawValue + "\n"
        for peer in peers {
            text += "\(peer.key) \(peer.leafFingerprint?.description ?? nothing) "
            text += "\(peer.address?.description ?? nothing) \(peer.verification?.rawValue ?? nothing) \(peer.name)"
            if let label = peer.label { text += "\t\(label)" }
            text += "\n"
        }
        return Array(text.utf8)
    }

    /// Accepts exactly what ``encode(_:)`` writes, and older versions. One damaged line makes the whole file invalid, because
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
        guard let version = Version(rawValue: String(Substring(first.dropFirst(header.utf8.count)))) else {
            throw StorageError(.read, path, .unsupportedVersion)
        }
        guard lines.count <= maximumPeers + 1 else { throw StorageError(.read, path, .malformed(line: lines.count)) }
        var peers: [KnownPeer] = []
        var seen: Set<Entry> = []
        for (index, line) in lines.enumerated().dropFirst() {
            guard let peer = peer(line, version),
                seen.insert(Entry(name: peer.name, key: version == .first ? nil : peer.key)).inserted
            else { throw StorageError(.read, path, .malformed(line: index + 1)) }
            peers.append(peer)
        }
        return peers
    }

    /// What occurs once: in version 1 a name, and now a name with a key.
    private struct Entry: Hashable {
        let name: DisplayName
        let key: IdentityKey?
    }

    private static func peer(_ line: Substring.UTF8View, _ version: Version) -> KnownPeer? {
        let count = version.fieldsBeforeName
        var fields = line.split(separator: UInt8(ascii: " "), maxSplits: count, omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard fields.count == count + 1, let (name, label) = names(fields.removeLast(), version) else { return nil }
        fields += Array(repeating: nothing, count: Version.current.fieldsBeforeName - count)
        guard let key = IdentityKey(fields[0]), key.description == fields[0],
            let leaf = field(fields[1], { KeyFingerprint($0) }, \.description),
            let address = field(fields[2], { PeerAddress($0) }, \.description),
            let verification = field(fields[3], { KeyVerification(rawValue: $0) }, \.rawValue)
        else { return nil }
        return KnownPeer(
            name: name, key: key, leafFingerprint: leaf.value, address: address.value, label: label,
            verification: verification.value)
    }

    /// The name, and the label where the version has one.
    private static func names(_ text: String, _ version: Version) -> (DisplayName, DisplayName?)? {
        guard version != .first else { return (try? DisplayName(text)).map { ($0, nil) } }
        let names = text.utf8.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
            .map { try? DisplayName(String(Substring($0))) }
        guard names.count <= 2, let name = names[0] else { return nil }
        guard names.count == 2 else { return (name, nil) }
        return names[1].map { (name, $0) }
    }

    /// A field that may say nothing.
    private struct Field<Value> {
        let value: Value?
    }

    /// Reads a field, if it is there as it would be written again.
    private static func field<Value>(
        _ text: String, _ read: (String) -> Value?, _ written: (Value) -> String
    ) -> Field<Value>? {
        guard text != nothing else { return Field(value: nil) }
        guard let value = read(text), written(value) == text else { return nil }
        return Field(value: value)
    }
}
