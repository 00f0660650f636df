import FuzzSupport
import MultipeerCore
import MultipeerCrypto
import MultipeerSodium

/// The signed bytes of SPEC §10.3 and what the insecure signatures make of them.
struct ModelBinding {
    let handshakeHash: [UInt8]
    let initiator: [UInt8]
    let responder: [UInt8]
    /// The exports of §25.1.
    var stringKey: [UInt8] = []
    var codeIdentifier: [UInt8] = []

    /// What the peer with role `signer` signs, over the frames that the model has seen.
    private func message(_ link: ModelLink, signer: LinkRole, chain: [UInt8]) -> [UInt8] {
        let inviter: UInt8 = (link.role == .initiator) == link.isInviter ? 0 : 1
        let transcript = Self.sha256(
            handshakeHash + initiator + responder + link.infoFrames + [inviter] + link.inviteFrame + link.acceptFrame)
        return [UInt8](repeating: 0x20, count: 64) + Array("multipeer/1 certificate binding".utf8) + [
            0, signer == .initiator ? 0 : 1,
        ] + transcript
            + Self.sha256(chain)
    }

    private func signature(_ link: ModelLink, signer: LinkRole, chain: [UInt8], leaf: [UInt8]) -> [UInt8] {
        var sum = InsecureSum(of: message(link, signer: signer, chain: chain).span)
        sum.add(leaf.span)
        return sum.bytes(64)
    }

    /// The payload of CERTIFICATES, rightly signed; `isByLink`: as the honest peer sends it, else as its peer would.
    func certificates(
        of role: LinkRole, isByLink: Bool, _ link: ModelLink, chain: [UInt8], leaf: [UInt8]
    ) -> [UInt8] {
        let signer = isByLink ? role : role.peer
        let signature = signature(link, signer: signer, chain: chain, leaf: leaf)
        return ModelSent.vector(chain) + [0x08, 0x07] + ModelSent.vector(signature) + [0]
    }

    /// R10.4-1.
    func isValid(_ shown: ModelCertificates, by link: ModelLink) -> Bool {
        guard shown.algorithm == 0x0807, let leaf = shown.chain.first else { return false }
        return shown.signature == signature(link, signer: link.role.peer, chain: shown.encoded, leaf: leaf)
    }

    static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        FuzzCrypto.sodium.hashing.hash(bytes.span, [UInt8]().span).rawBytes
    }
}
