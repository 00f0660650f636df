public import MultipeerCrypto
import MultipeerWire

/// What members of a session sign (SPEC §14), with every part open to change. Charters are whole structures.
extension ScriptedPeer {
    /// The identifier of a session (SPEC §4.3).
    public func session(_ charter: [UInt8]) -> [UInt8] { sha256(SignedBytes.session(charter: charter)) }

    /// An admission of `member` (SPEC §14.2), by this peer unless said otherwise.
    public func admission(
        of member: [UInt8], to charter: [UInt8], by signer: (any IdentitySigner)? = nil,
        label: String = "multipeer/1 admission"
    ) throws(ScriptedPeerError) -> [UInt8] {
        let signer = signer ?? identity
        let message = SignedBytes.member(label, session: session(charter), member)
        let signature = try attempt { () throws(CryptoFailure) in try signer.sign(message.span) }
        return signer.identityKey.rawBytes + signature
    }

    /// An entry with its signature (SPEC §14.3), by this peer unless said otherwise.
    public func entry(
        _ content: [UInt8], in charter: [UInt8], by signer: (any IdentitySigner)? = nil,
        label: String = "multipeer/1 roster entry"
    ) throws(ScriptedPeerError) -> [UInt8] {
        let signer = signer ?? identity
        let message = SignedBytes.member(label, session: session(charter), content)
        return content + (try attempt { () throws(CryptoFailure) in try signer.sign(message.span) })
    }
}
