internal import MultipeerCertificates
@_spi(Observation) internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerGnuTLS
internal import MultipeerWire

/// Signatures of certificates' keys (SPEC §10.3, §10.4).
struct BindingGroup {
    let crypto: SwiftCrypto

    func run(_ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        let access = try bound(inputs)
        let (ders, signature) = (try inputs.byteStrings("chain"), try inputs.bytes("signature"))
        let number = UInt16(truncatingIfNeeded: try inputs.number("algorithm"))
        let chain: UnverifiedCertificateChain
        do {
            // As a CERTIFICATES of a peer that announced a chain: SPEC §10.2.
            let frame = Certificates(chain: ders, algorithm: number, signature: signature)
            _ = try Certificates(payload: frame.payload.span)
            chain = try UnverifiedCertificateChain(ders.map(Certificate.init(der:)))
        } catch {
            return .rejected(layer: "wire", code: "malformed", expected: [:])
        }
        guard let algorithm = SignatureAlgorithm(rawValue: number) else { return .bindingInvalid }
        do {
            let fingerprint = try GnuTLSBindingVerifier(strictEd25519: crypto.provider.signatures).verifyBinding(
                signature.span, algorithm: algorithm, over: access.message.span, by: chain)
            return .accepted([
                "transcript": .hex(access.transcript), "message": .hex(access.message),
                "fingerprint": .string(fingerprint.description),
            ])
        } catch {
            let outcome = ReportedOutcome(LinkFailure(stage: .certificates, cause: .certificate(error)))
            return .rejected(layer: outcome.layer, code: outcome.code, expected: [:])
        }
    }

    /// The signed bytes of the inputs.
    func bound(_ inputs: Arguments) throws(SubjectFault) -> BindingAccess {
        guard let hash = try? Digest(rawBytes: try inputs.bytes("handshakeHash")),
            let initiator = try? IdentityKey(rawBytes: try inputs.bytes("initiatorKey")),
            let responder = try? IdentityKey(rawBytes: try inputs.bytes("responderKey")),
            let inviter = LinkRole(name: try inputs.text("inviterRole")),
            let signer = LinkRole(name: try inputs.text("signerRole"))
        else { throw .badQuestion("inputs") }
        let chain = Certificates.encode(chain: try inputs.byteStrings("chain"))
        return BindingAccess(
            handshakeHash: hash, initiator: (initiator, try inputs.bytes("initiatorInfoFrame")),
            responder: (responder, try inputs.bytes("responderInfoFrame")), inviter: inviter,
            invite: try inputs.bytes("inviteFrame"), accept: try inputs.bytes("acceptFrame"), signer: signer,
            chain: chain, hashing: crypto.provider.hashing)
    }
}

extension SubjectAnswer {
    fileprivate static var bindingInvalid: SubjectAnswer {
        .rejected(layer: "certificates", code: "binding_invalid", expected: [:])
    }
}
