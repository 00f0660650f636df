import MultipeerCertificates
import MultipeerConformance
import MultipeerCrypto
import MultipeerGnuTLS
import MultipeerScriptedPeer
import MultipeerWire

/// Certificates and READY (SPEC §10).
extension FaultyPeer {
    func sendCertificates() {
        send(Certificates.none)
        if has(.sendsReadyUnasked) { sendReady() }
    }

    private func sendReady() {
        guard !sentReady else { return }
        sentReady = true
        send(Ready())
        openIfReady()
    }

    private func openIfReady() {
        guard sentReady, gotReady else { return }
        stage = .open
        setDeadline(settings.ping)
        if settings.offersFile { offerFile() }
    }

    func takeCertificates(_ payload: [UInt8]) throws {
        let shown = try decode(Certificates.self, payload)
        if peerKind == .none {
            guard shown == .none || has(.takesUnannouncedChain) else { throw Failure(code: .malformed) }
        } else {
            guard !shown.chain.isEmpty else { throw Failure(code: .malformed) }
            guard isBound(shown) || has(.ignoresBinding) else { throw Failure(code: .bindingInvalid) }
        }
        hasCertificates = true
        answers.append { [self] in sendReady() }
    }

    private func isBound(_ shown: Certificates) -> Bool {
        guard let algorithm = SignatureAlgorithm(rawValue: shown.algorithm),
            let chain = try? UnverifiedCertificateChain(shown.chain.map(Certificate.init(der:)))
        else { return false }
        let signers = has(.takesBindingOfOtherRole) ? [role.other, role] : [role.other]
        return signers.contains { signer in
            let message = script.bindingMessage(of: signer, chain: shown.chain)
            return
                (try? GnuTLSBindingVerifier(strictEd25519: Tools.crypto.signatures).verifyBinding(
                    shown.signature.span, algorithm: algorithm, over: message.span, by: chain)) != nil
        }
    }

    func takeReady(_ payload: [UInt8]) throws {
        guard hasCertificates || has(.takesReadyWithoutCertificates), !gotReady || has(.takesReadyTwice) else {
            throw Failure(code: .unexpectedFrame)
        }
        _ = try decode(Ready.self, payload)
        gotReady = true
        openIfReady()
    }
}
