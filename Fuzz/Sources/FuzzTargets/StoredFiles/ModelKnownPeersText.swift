import MultipeerCertificates
import MultipeerCrypto

/// The file of known peers as docs/formats.md describes it, by the plainest code.
struct ModelKnownPeersText {
    struct Peer: Equatable {
        let key: [UInt8]
        let leaf: [UInt8]?
        var address: [UInt8]?
        let name: [UInt8]
        var label: [UInt8]?
        /// How the key was verified, as it is written.
        var verification: [UInt8]?

        init(_ peer: KnownPeer) {
            key = peer.key.rawBytes
            leaf = peer.leafFingerprint?.digest.rawBytes
            address = peer.address.map { Array($0.description.utf8) }
            name = peer.name.utf8Bytes
            label = peer.label?.utf8Bytes
            verification = peer.verification.map { Array($0.rawValue.utf8) }
        }

        /// `IDENTITY LEAF NAME` of version 1.
        init?(oldLine line: [UInt8]) {
            let fields = line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false).map(Array.init)
            guard fields.count == 3, ModelText.isDisplayName(fields[2]) else { return nil }
            self.init(key: fields[0], leaf: fields[1], name: fields[2])
        }

        /// `IDENTITY LEAF ADDRESS VERIFIED NAME`, and perhaps a tab and a label. Version 2 had no `VERIFIED`.
        init?(line: [UInt8], saysHowVerified: Bool) {
            let count = saysHowVerified ? 5 : 4
            let fields = line.split(separator: 0x20, maxSplits: count - 1, omittingEmptySubsequences: false)
                .map(Array.init)
            guard fields.count == count else { return nil }
            let names = fields[count - 1].split(separator: 0x09, omittingEmptySubsequences: false).map(Array.init)
            guard names.count <= 2, names.allSatisfy(ModelText.isDisplayName) else { return nil }
            self.init(key: fields[0], leaf: fields[1], name: names[0])
            label = names.count == 2 ? names[1] : nil
            if saysHowVerified, fields[3] != [UInt8(ascii: "-")] {
                guard [Array("string".utf8), Array("code".utf8)].contains(fields[3]) else { return nil }
                verification = fields[3]
            }
            guard fields[2] != [UInt8(ascii: "-")] else { return }
            guard (1...255).contains(fields[2].count),
                fields[2].allSatisfy({ (0x21...0x7E).contains($0) && !(0x41...0x5A).contains($0) })
            else { return nil }
            address = fields[2]
        }

        private init?(key: [UInt8], leaf: [UInt8], name: [UInt8]) {
            guard let key = ModelText.bytes(ofLowercase: key), key.count == 32 else { return nil }
            self.key = key
            self.name = name
            guard leaf != [UInt8(ascii: "-")] else {
                self.leaf = nil
                return
            }
            guard let digits = ModelText.value(of: leaf, behind: "sha256:"),
                let digest = ModelText.bytes(ofLowercase: digits), digest.count == 32
            else { return nil }
            self.leaf = digest
        }
    }

    /// Whether it is of a version that is read and never written.
    let isOld: Bool
    let peers: [Peer]

    /// Nil for anything but a text of version 1, 2 or 3.
    init?(_ text: [UInt8]) {
        guard text.last == 0x0A else { return nil }
        let lines = text.dropLast().split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
        let versions = (1...3).filter { lines[0] == Array("multipeer-known-peers \($0)".utf8) }
        guard let version = versions.first, lines.count <= 10_001 else { return nil }
        let read = lines.dropFirst().map {
            version == 1 ? Peer(oldLine: $0) : Peer(line: $0, saysHowVerified: version == 3)
        }
        let whole = read.compactMap(\.self)
        // Canonically equivalent names are one name (docs/formats.md); Swift's strings compare so. Since version 2 a
        // name may occur twice, with another key.
        let entries = whole.map { peer in
            [String(decoding: peer.name, as: UTF8.self)] + (version == 1 ? [] : peer.key.map { "\($0)" })
        }
        guard whole.count == read.count, Set(entries).count == whole.count else { return nil }
        (isOld, peers) = (version < 3, whole)
    }
}
