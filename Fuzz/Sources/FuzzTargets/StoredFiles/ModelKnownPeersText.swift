import MultipeerCertificates
import MultipeerCrypto

/// The file of known peers as docs/formats.md describes it, by the plainest code.
struct ModelKnownPeersText {
    struct Peer: Equatable {
        let key: [UInt8]
        let leaf: [UInt8]?
        let name: [UInt8]

        init(_ peer: KnownPeer) {
            key = peer.key.rawBytes
            leaf = peer.leafFingerprint?.digest.rawBytes
            name = peer.name.utf8Bytes
        }

        /// `IDENTITY LEAF NAME`
        init?(line: [UInt8]) {
            let fields = line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false).map(Array.init)
            guard fields.count == 3, let key = ModelText.bytes(ofLowercase: fields[0]), key.count == 32,
                ModelText.isDisplayName(fields[2])
            else { return nil }
            self.key = key
            name = fields[2]
            guard fields[1] != [UInt8(ascii: "-")] else {
                leaf = nil
                return
            }
            guard let digits = ModelText.value(of: fields[1], behind: "sha256:"),
                let digest = ModelText.bytes(ofLowercase: digits), digest.count == 32
            else { return nil }
            leaf = digest
        }
    }

    let peers: [Peer]

    /// Nil for anything but a text of version 1.
    init?(_ text: [UInt8]) {
        guard text.last == 0x0A else { return nil }
        let lines = text.dropLast().split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
        guard lines[0] == Array("multipeer-known-peers 1".utf8), lines.count <= 10_001 else { return nil }
        let peers = lines.dropFirst().map(Peer.init(line:))
        let whole = peers.compactMap(\.self)
        // Canonically equivalent names are one name (docs/formats.md); Swift's strings compare so.
        guard whole.count == peers.count,
            Set(whole.map { String(decoding: $0.name, as: UTF8.self) }).count == whole.count
        else { return nil }
        self.peers = whole
    }
}
