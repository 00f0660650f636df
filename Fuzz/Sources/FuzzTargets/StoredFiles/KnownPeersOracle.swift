import FuzzSupport
import MultipeerCertificates
import MultipeerCrypto
import MultipeerStorage

/// The file of known peers of docs/formats.md, read by us and by a model that was written from that page.
enum KnownPeersOracle {
    static func read(_ text: [UInt8]) throws {
        let expected = ModelKnownPeersText(text)
        do {
            let peers = try KnownPeersFile.parse(text, place: "p")
            try require(expected != nil, "known peers that docs/formats.md does not allow")
            try requireEqual(peers.map(ModelKnownPeersText.Peer.init), expected?.peers ?? [], "known peers")
            // Older versions are read, and never written.
            if expected?.isOld == false {
                try requireEqual(KnownPeersFile.text(of: peers), text, "known peers, written again")
            }
        } catch let error as StorageError {
            try require(expected == nil, "known peers that docs/formats.md allows: \(error.reason)")
            try checkReason(error, text)
        }
    }

    /// Peers are remembered as a store does it, written, and read again: a peer that may be remembered must not spoil
    /// the file, because peers choose their names themselves.
    static func write(_ choices: inout Choices) throws {
        var peers: [KnownPeer] = []
        for number in 0..<choices.int(below: 5) {
            let fill = choices.byte()
            let text = String(validating: choices.bytes(upTo: 63), as: UTF8.self)
            guard let text, let name = try? DisplayName(text), !peers.contains(where: { $0.name == name }) else {
                continue
            }
            let key = [UInt8](repeating: fill &+ UInt8(number), count: 32)
            let leaf = fill & 1 == 0 ? nil : KeyFingerprint(digest: try Digest(rawBytes: key.reversed()))
            peers.append(
                KnownPeer(
                    name: name, key: try IdentityKey(rawBytes: key), leafFingerprint: leaf,
                    address: fill & 2 == 0 ? nil : PeerAddress("desk.local:\(fill)"),
                    label: fill & 4 == 0 ? nil : name,
                    verification: fill & 8 == 0 ? nil : fill & 16 == 0 ? .shortString : .oneTimeCode))
        }
        let text = KnownPeersFile.text(of: peers)
        do {
            let again = try KnownPeersFile.parse(text, place: "p")
            try requireEqual(again, peers, "known peers, read again")
        } catch let error as StorageError {
            throw OracleFailure("known peers that were written cannot be read: \(error.reason)")
        }
        try read(text)
    }

    private static func checkReason(_ error: StorageError, _ text: [UInt8]) throws(OracleFailure) {
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).count
        switch error.reason {
        case .malformed(let line): try require((1...lines).contains(line), "line \(line) of \(lines)")
        case .unsupportedVersion:
            try require(text.starts(with: Array("multipeer-known-peers ".utf8)), "a version without a header")
        case .tooLarge(let limit): try require(text.count > limit, "too large at \(text.count) bytes")
        default: throw OracleFailure("known peers are refused for \(error.reason)")
        }
    }
}
