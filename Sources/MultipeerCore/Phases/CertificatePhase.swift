import MultipeerCertificates
import MultipeerCrypto
import MultipeerWire

/// What INVITE and ACCEPT settled.
struct LinkAgreement: Sendable {
    let peer: IdentifiedPeer
    let charter: Charter
    /// What the INVITE that wins is for.
    let kind: SessionKind
    let encryption: EncryptionOutcome
    /// The sender of the INVITE that wins.
    let inviter: LinkRole
    /// What the peer said it would show.
    let peerKind: IdentityKind
    /// The whole INVITE that wins, as sent.
    let invite: [UInt8]
    /// The whole ACCEPT, as sent.
    let accept: [UInt8]
}

/// Certificates are exchanged and verified (SPEC §10).
struct CertificatePhase: LinkPhase, ~Copyable {
    private enum Verification {
        case awaitingCertificates
        case awaitingVerdict(LinkToken)
        case accepted(TrustBasis)
    }

    private let agreement: LinkAgreement
    private let transcript: BindingTranscript
    private var verification = Verification.awaitingCertificates
    private var isPeerReady = false
    /// When the certificates that the verdict rests on are over.
    private var trustEnd: Instant?

    /// Sends CERTIFICATES.
    init(
        _ agreement: LinkAgreement, showing certificate: LocalCertificate?, in context: LinkContext
    ) throws(LinkFailureCause) {
        self.agreement = agreement
        let proved = agreement.peer.proved
        let local = BindingTranscript.Side(key: context.configuration.identity.identityKey, info: proved.ownInfo)
        let remote = BindingTranscript.Side(key: proved.key, info: agreement.peer.info)
        transcript = BindingTranscript(
            handshakeHash: proved.handshakeHash, initiator: context.role == .initiator ? local : remote,
            responder: context.role == .initiator ? remote : local, inviter: agreement.inviter,
            invite: agreement.invite, accept: agreement.accept, hashing: context.crypto.hashing)
        context.setDeadline(after: context.timeouts.certificates)
        context.send(try Self.certificates(certificate, transcript, in: context))
    }

    private static func certificates(
        _ certificate: LocalCertificate?, _ transcript: BindingTranscript, in context: LinkContext
    ) throws(LinkFailureCause) -> Certificates {
        guard let certificate else { return .none }
        let chain = certificate.chain.certificates.map(\.der)
        let message = transcript.message(
            of: context.role, chain: Certificates.encode(chain: chain), hashing: context.crypto.hashing)
        do {
            let signature = try certificate.signer.sign(message.span)
            return Certificates(chain: chain, algorithm: certificate.signer.algorithm.rawValue, signature: signature)
        } catch {
            throw .crypto(error)
        }
    }

    var stage: LinkStage { .certificates }
    consuming func unchanged() -> Transition { .to(.certificates(self)) }

    consuming func receive(
        _ frame: borrowing RawFrame, type: FrameType, in context: LinkContext
    ) throws(LinkFailureCause) -> Transition {
        switch verification {
        case .awaitingCertificates where type == .certificates:
            let evidence = try evidence(from: try frame.decode(Certificates.self), in: context)
            let token = context.makeToken()
            verification = .awaitingVerdict(token)
            context.effects.emit(.verify(token, evidence))
            return unchanged()
        case .awaitingCertificates where type == .cancel && agreement.inviter != context.role:
            // It crossed the local ACCEPT (R8.5-2).
            return .end(.withdrawn(by: try frame.decode(Cancel.self), stage: .certificates))
        case .awaitingVerdict where type == .ready && !isPeerReady:
            _ = try frame.decode(Ready.self)
            isPeerReady = true
            context.hasPeerAccepted = true
            return unchanged()
        case .accepted(let basis) where type == .ready && !isPeerReady:
            _ = try frame.decode(Ready.self)
            return open(basis, in: context)
        case .awaitingCertificates, .awaitingVerdict, .accepted:
            throw frame.unexpected
        }
    }

    /// Checks form and binding (R10.2-2, R10.4-1); trust is the app's question.
    private func evidence(
        from frame: Certificates, in context: LinkContext
    ) throws(LinkFailureCause) -> PeerEvidence {
        var evidence = try certificates(from: frame, in: context)
        evidence.verification = context.verification
        return evidence
    }

    private func certificates(
        from frame: Certificates, in context: LinkContext
    ) throws(LinkFailureCause) -> PeerEvidence {
        let peer = agreement.peer.id
        guard agreement.peerKind == .x509 else {
            guard frame.isEmpty else { throw .malformed(WireError(.valueOutOfRange, in: .chain)) }
            return PeerEvidence(peer: peer, chain: nil, leafFingerprint: nil)
        }
        let chain: UnverifiedCertificateChain
        do {
            chain = try UnverifiedCertificateChain(frame.chain.map(Certificate.init(der:)))
        } catch {
            throw .malformed(WireError(.lengthOutOfRange, in: .chain))
        }
        guard let algorithm = SignatureAlgorithm(rawValue: frame.algorithm) else {
            throw .certificate(.unsupportedKey)
        }
        guard let verifier = context.configuration.bindingVerifier else { throw .certificate(.verifierMissing) }
        let message = transcript.message(
            of: context.role.peer, chain: Certificates.encode(chain: frame.chain), hashing: context.crypto.hashing)
        do {
            let fingerprint = try verifier.verifyBinding(
                frame.signature.span, algorithm: algorithm, over: message.span, by: chain)
            return PeerEvidence(peer: peer, chain: chain, leafFingerprint: fingerprint)
        } catch {
            throw .certificate(error)
        }
    }

    var openQuestion: LinkQuestion? {
        if case .awaitingVerdict(let token) = verification { .verdict(token) } else { nil }
    }

    /// The app's verdict (R10.5-1). The caller has checked the token.
    consuming func apply(_ verdict: Verdict, in context: LinkContext) throws(LinkFailureCause) -> Transition {
        switch verdict {
        case .rejected(let rejection):
            throw .certificate(rejection)
        case .accepted(let basis):
            context.send(Ready())
            if case .trustAnchor(let validity) = basis { trustEnd = context.now.advanced(by: validity) }
            if isPeerReady { return open(basis, in: context) }
            verification = .accepted(basis)
            return unchanged()
        }
    }

    /// Silence is a rejection.
    consuming func timeout(in context: LinkContext) throws(LinkFailureCause) -> Transition {
        if case .awaitingVerdict = verification { throw .certificate(.verdictTimeout) }
        throw .timedOut
    }

    private consuming func open(_ basis: TrustBasis, in context: LinkContext) -> Transition {
        context.deadline = nil
        let proved = agreement.peer.proved
        let summary = LinkSummary(
            peer: agreement.peer.id, trust: basis, encryption: agreement.encryption, suite: proved.suite,
            session: SessionID(agreement.charter, hashing: context.crypto.hashing), charter: agreement.charter,
            handshakeHash: proved.handshakeHash, peerMaximumMessage: agreement.peer.maximumMessage)
        context.hasOpened = true
        context.effects.emit(.opened(summary))
        let hasLesserKey = context.configuration.identity.identityKey < proved.key
        let guest = GuestSession(isInvitedByPeer: agreement.inviter != context.role, kind: agreement.kind)
        let session = context.membership.map { SessionPart.member($0) } ?? .guest(guest)
        return .to(
            .open(
                OpenPhase(
                    summary: summary, session: session, hasLesserKey: hasLesserKey, trustEnd: trustEnd, in: context)))
    }
}
