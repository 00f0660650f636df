public import MultipeerCrypto
import MultipeerWire

/// Makes the tags by which peers recognise what the local peer offers again (SPEC §15.7).
///
/// A tag is the beginning of an HMAC under a key that stays with the identity. So it says nothing of the file, and two peers
/// cannot find out that they were offered the same one.
public final class OutgoingTags: Sendable {
    /// The length of the key, in bytes.
    static let keyLength = 32

    private let key: Secret
    private let hashing: any Hashing

    init(key: consuming Secret, hashing: any Hashing) {
        self.key = key
        self.hashing = hashing
    }

    /// The tag of a file or folder for one peer. It is another one as soon as the file changes.
    /// - Throws: `CryptoFailure`.
    public func tag(of file: OutgoingFile, for peer: IdentityKey) throws(CryptoFailure) -> [UInt8] {
        try tag(of: [file.kind.rawValue] + file.fingerprint, for: peer)
    }

    private func tag(of source: [UInt8], for peer: IdentityKey) throws(CryptoFailure) -> [UInt8] {
        let code = try hashing.authenticate(peer.rawBytes.span, source.span, key: key)
        return code.withBytes { bytes in (0..<FileOffer.tagLength).map { bytes[$0] } }
    }
}
