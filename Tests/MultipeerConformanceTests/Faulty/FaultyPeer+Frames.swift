import MultipeerConformance
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerWire

/// The state machine of SPEC §17.
extension FaultyPeer {
    func take(type raw: UInt64, payload: [UInt8], frame: [UInt8], kind: RecordKind) throws {
        if hasRekeyed, stage != .closing, !has(.takesFramesBehindRekey) { throw Failure(code: .unexpectedFrame) }
        if stage == .closing {
            if raw == FrameType.close.rawValue { stage = .over }
            if raw == FrameType.rekey.rawValue { try? script.receiving?.rekey() }
            return
        }
        // A peer that does not list a feature does not know its frames.
        guard let type = FrameType(rawValue: raw), type.feature == nil || settings.verification != nil else {
            return try takeUnknown(raw, kind)
        }
        try checkProtection(type.isPayload, kind)
        if type.feature != nil {
            guard isProved else { throw Failure(code: .unexpectedFrame) }
            return try takeVerification(type, payload)
        }
        if type == .padding {
            guard isProved || has(.skipsOddFramesBeforeProof) else { throw Failure(code: .unexpectedFrame) }
            return
        }
        if type == .close { return try takeClose(payload) }
        if type == .rekey { return try takeRekey(payload) }
        switch (type, stage) {
        case (.proof, .proof): try takeProof(payload)
        case (.proof, _) where has(.takesSecondProof): break
        case (.peerInfo, .info):
            script.theirInfo = frame
            try takePeerInfo(payload)
        case (.peerInfo, .proof) where has(.takesPeerInfoBeforeProof): break
        case (.invite, .identified), (.invite, .inviting): try takeInvite(payload, frame)
        case (.invite, .pairing): try takeInviteInPairing(payload)
        case (.resume, .identified) where role == .responder, (.resume, .inviting) where role == .responder:
            // It keeps no association.
            _ = try decode(Resume.self, payload)
            send(Decline(.noSession))
            finish()
        case (.invite, .info) where has(.takesInviteBeforePeerInfo): try takeInvite(payload, frame)
        case (.invite, .certificates) where has(.takesSecondInvite): break
        case (.accept, .inviting): try takeAccept(payload, frame)
        case (.decline, .inviting): try takeDecline(payload)
        case (.cancel, .inviting) where hasCrossed, (.cancel, .pairing) where code.hasCrossedInvite,
            (.cancel, .certificates) where script.inviter != role && !hasCertificates:
            _ = try decode(Cancel.self, payload)
            if !has(.ignoresCancel) { finish() }
        case (.certificates, .certificates) where !hasCertificates: try takeCertificates(payload)
        case (.ready, .certificates): try takeReady(payload)
        case (.ready, .open) where has(.takesReadyTwice): break
        case (_, .open) where type.isOfOpenLink: try takeAssociation(type, payload)
        case (.message, .certificates) where has(.takesPayloadBeforeOpen): break
        default: throw Failure(code: .unexpectedFrame)
        }
    }

    private func takeRekey(_ payload: [UInt8]) throws {
        guard stage == .open else { throw Failure(code: .unexpectedFrame) }
        _ = try decode(Rekey.self, payload)
        if !has(.ignoresRekey) { try? script.receiving?.rekey() }
        hasRekeyed = true
    }

    private func takeUnknown(_ raw: UInt64, _ kind: RecordKind) throws {
        guard isProved else {
            if raw % 2 == 1, has(.skipsOddFramesBeforeProof) { return }
            throw Failure(code: .unexpectedFrame)
        }
        if raw % 2 == 0 {
            if has(.ignoresUnknownEvenFrames) { return }
            throw Failure(code: .unsupported)
        }
        if has(.refusesUnknownOddFrames) { throw Failure(code: .unsupported) }
        try checkProtection(false, kind)
    }

    private func checkProtection(_ isPayload: Bool, _ kind: RecordKind) throws {
        let isReadable = stage == .open && outcome == .readable
        switch kind {
        case .authenticated where !isPayload:
            if !has(.takesControlOnReadable) { throw Failure(code: .wrongProtection) }
        case .encrypted where isPayload && isReadable:
            if !has(.takesEncryptedOnReadable) { throw Failure(code: .wrongProtection) }
        default: break
        }
    }

    func decode<Frame: ControlFrame>(_ type: Frame.Type, _ payload: [UInt8]) throws -> Frame {
        do {
            if has(.toleratesTrailingBytes) {
                var reader = Reader(payload.span)
                return try Frame(&reader)
            }
            return try Frame(payload: payload.span)
        } catch {
            throw Failure(code: error.reason == .unknownCritical ? .unsupported : .malformed)
        }
    }

    private func takeClose(_ payload: [UInt8]) throws {
        let code = try decode(Close.self, payload).code
        if has(.refusesUnknownCloseCode), !CloseCode.registry.contains(where: { $0.code == code }) {
            throw Failure(code: .malformed)
        }
        if has(.answersNoClose) {
            isBroken = true
            return
        }
        if has(.readsBehindClose) {
            hasReadClose = true
            return
        }
        finish()
    }

    /// CLOSE `no_error`, and the end.
    func finish() {
        guard stage != .over, stage != .closing else { return }
        if stage == .open, !has(.forgetsLastAck) { acknowledge() }
        sendClose(.noError)
        stage = .over
    }

    // MARK: Proofs

    func sendProof() throws { send(try script.proof()) }

    func sendPeerInfo() {
        let features = settings.verification == nil ? [] : [Feature.verification.rawValue]
        send(PeerInfo(displayName: Array("Faulty".utf8), maximumMessage: 1_000_000, features: features))
    }

    private func takeProof(_ payload: [UInt8]) throws {
        let proof = try decode(Proof.self, payload)
        let isOwn = proof.identityKey == settings.identity.identityKey.rawBytes
        if isOwn, has(.looksAtKeyFirst) { throw Failure(code: .ownIdentity) }
        guard isValid(proof) else { throw Failure(code: .proofInvalid) }
        guard !isOwn else { throw Failure(code: .ownIdentity) }
        if let expected = settings.expectedPeer, expected != proof.identityKey, !has(.takesAnyPeer) {
            throw Failure(code: .unexpectedIdentity)
        }
        script.peerKey = proof.identityKey
        isProved = true
        stage = .info
        if role == .initiator, !has(.provesFirst) { try sendProof() }
        if !(has(.showsNameEarly) && role == .responder) { sendPeerInfo() }
        if role == .initiator, settings.invites, settings.expectedPeer != nil { sendInvite() }
    }

    private func isValid(_ proof: Proof) -> Bool {
        if has(.ignoresProofSignature) { return true }
        let neutral: [UInt8] = [1] + [UInt8](repeating: 0, count: 31)
        if has(.takesNeutralKey), proof.identityKey == neutral { return true }
        return script.isValid(proof, of: has(.takesReflectedRole) ? [role.other, role] : nil)
    }

    private func takePeerInfo(_ payload: [UInt8]) throws {
        do {
            peerVerifies = try PeerInfo(payload: payload.span).features.contains(Feature.verification.rawValue)
        } catch {
            let isTolerated =
                switch (error.field, error.reason) {
                case (.displayName, .valueOutOfRange): has(.toleratesBadNames)
                case (.fieldType, .unknownCritical): has(.toleratesEvenFields)
                case (.fieldType, .notAscending): has(.toleratesFieldOrder)
                case (_, .trailingBytes): has(.toleratesTrailingBytes)
                default: false
                }
            guard isTolerated else {
                throw Failure(code: error.reason == .unknownCritical ? .unsupported : .malformed)
            }
        }
        if !ownInvite.isEmpty {
            stage = .inviting
            setDeadline(.seconds(30))
        } else {
            stage = .identified
            setDeadline(.seconds(60))
            if try !verifyAtOnce(), settings.invites { inviteNow() }
        }
    }

    // MARK: Invitation

    func inviteNow() {
        sendInvite()
        stage = .inviting
    }

    private func sendInvite() {
        let frame = Invite(
            charter: script.ownCharter, sessionKind: .new, preference: settings.encryption, identityKind: .none,
            timeout: 30_000, context: []
        ).encoded()
        (ownInvite, script.invite, script.inviter) = (frame, frame, role)
        send(frame)
    }

    private func takeInvite(_ payload: [UInt8], _ frame: [UInt8]) throws {
        let received = try decodeInvite(payload)
        let isOfOtherSession = try judge(received)
        if stage == .inviting {
            guard !hasCrossed else { throw Failure(code: .unexpectedFrame) }
            let hashing = script.crypto.hashing
            let ownStands =
                SessionID(script.ownCharter, hashing: hashing) < SessionID(received.charter, hashing: hashing)
            if ownStands != has(.losesCrossing) {
                hasCrossed = true
                return
            }
        }
        guard !isOfOtherSession else {
            send(Decline(.noSession))
            return finish()
        }
        (script.invite, script.inviter, peerKind) = (frame, role.other, received.identityKind)
        let own = settings.encryption
        guard let given = table(received.preference, own) ?? (has(.acceptsAgainstPolicy) ? .encrypted : nil) else {
            send(Decline(.encryptionPolicy(own)))
            finish()
            return
        }
        outcome = has(.choosesWrongOutcome) ? (given == .readable ? .encrypted : .readable) : given
        let answer = Accept(preference: own, identityKind: .none, outcome: outcome).encoded()
        stage = .certificates
        setDeadline(settings.certificateDeadline)
        script.accept = answer
        // The app has the word; what came in the same record comes first.
        answers.append { [self] in
            send(answer)
            sendCertificates()
        }
    }

    private func decodeInvite(_ payload: [UInt8]) throws -> Invite {
        // After a charter without parameters, and sessionKind.
        if has(.takesWrongPreference), payload.count > 66, payload[66] > 2 {
            var mended = payload
            mended[66] = 1
            return try decode(Invite.self, mended)
        }
        // With an empty chain in place of an empty list of fields.
        if has(.needsNoChain), payload.last == 0, payload.count > 65, payload[65] != 1 {
            return try decode(Invite.self, payload.dropLast() + WireBytes.vector(WireBytes.chainField([])))
        }
        return try decode(Invite.self, payload)
    }

    private func table(_ one: EncryptionPreference, _ other: EncryptionPreference) -> EncryptionOutcome? {
        switch (one, other) {
        case (.none, .required), (.required, .none): nil
        case (.none, _), (_, .none): .readable
        default: .encrypted
        }
    }

    private func takeAccept(_ payload: [UInt8], _ frame: [UInt8]) throws {
        let received = try decode(Accept.self, payload)
        guard table(settings.encryption, received.preference) == received.outcome || has(.takesChangedOutcome) else {
            throw Failure(code: .policyViolation)
        }
        (script.accept, outcome, peerKind) = (frame, received.outcome, received.identityKind)
        stage = .certificates
        setDeadline(settings.certificateDeadline)
        sendCertificates()
    }

    private func takeDecline(_ payload: [UInt8]) throws {
        _ = try decode(Decline.self, payload)
        if has(.refusesUnknownDecline), let reason = payload.first, reason > 7 { throw Failure(code: .malformed) }
        finish()
    }
}
