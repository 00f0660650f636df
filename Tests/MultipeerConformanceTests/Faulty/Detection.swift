import MultipeerConformance
import MultipeerScriptedPeer
import MultipeerWire

/// Which case catches which fault, and in what set-up.
struct Detection: Sendable {
    let fault: Fault
    let caseID: String
    /// The tester's side of the stream.
    var tester = StreamRole.initiator
    var invites = false
    var encryption = EncryptionPreference.optional

    private init(
        _ fault: Fault, _ caseID: String, _ tester: StreamRole = .initiator, invites: Bool = false,
        _ encryption: EncryptionPreference = .optional
    ) {
        self.fault = fault
        self.caseID = caseID
        self.tester = tester
        self.invites = invites
        self.encryption = encryption
    }

    static let all: [Detection] = framing + negotiation + handshake + invitation + certificates + protection + rest

    private static let framing: [Detection] = [
        .init(.readsLongIntegers, "3.2-long-type"), .init(.toleratesTrailingBytes, "3.3-trailing-bytes"),
        .init(.toleratesEvenFields, "3.4-even-field"), .init(.toleratesFieldOrder, "3.4-field-twice"),
        .init(.toleratesBadNames, "4.2-name-bidi"), .init(.waitsForWholeMagic, "6.1-magic-first-byte"),
        .init(.answersBadMagic, "6.1-magic-http"), .init(.waitsForWholeRecord, "6.2-unknown-kind"),
        .init(.toleratesLongHello, "6.2-hello-too-long"), .init(.toleratesFramesTooLong, "6.3-frame-too-long"),
        .init(.ignoresUnknownEvenFrames, "6.4-even-open"), .init(.refusesUnknownOddFrames, "6.4-odd-everywhere"),
        .init(.skipsOddFramesBeforeProof, "6.4-odd-before-proof"),
    ]

    private static let negotiation: [Detection] = [
        .init(.toleratesDuplicateVersions, "7.1-version-twice"),
        .init(.toleratesExtensionOrder, "7.1-extensions-descending"), .init(.choosesGrease, "7.4-only-grease-versions"),
        .init(.prefersOwnSuite, "7.3-first-suite"), .init(.refusesWithGrease, "7.3-no-common-version"),
        .init(.takesAnyVersion, "7.3-grease-version", .responder),
        .init(.takesAnySuite, "7.3-grease-suite", .responder),
        .init(.takesAnyExtension, "7.3-grease-extension", .responder),
        .init(.ignoresRefusal, "7.5-hello-after-refusal", .responder),
    ]

    private static let handshake: [Detection] = [
        .init(.ignoresConfirmation, "9.3-confirmation", .responder), .init(.takesWeakKeys, "9.4-weak-key-0"),
        .init(.ignoresProofSignature, "9.5-flipped-signature"), .init(.takesReflectedRole, "9.5-other-role"),
        .init(.looksAtKeyFirst, "9.5-own-identity"), .init(.takesAnyPeer, "9.5-unexpected-identity", .responder),
        .init(.takesNeutralKey, "9.6-neutral-key"),
        .init(.takesSecondProof, "9.5-second-proof"), .init(.provesFirst, "9.5-initiator-waits", .responder),
        .init(.showsNameEarly, "9.5-responder-waits"), .init(.takesPeerInfoBeforeProof, "9.5-peer-info-first"),
    ]

    private static let invitation: [Detection] = [
        .init(.takesChangedOutcome, "8.3-wrong-outcome", invites: true),
        .init(.takesWrongPreference, "8.2-preference-3"), .init(.takesAnyFounder, "8.2-other-founder"),
        .init(.acceptsAgainstPolicy, "11-with-required", .initiator, .none),
        .init(.choosesWrongOutcome, "11-with-optional"), .init(.takesSecondInvite, "8.2-twice"),
        .init(.takesInviteBeforePeerInfo, "8.2-before-peer-info"),
        .init(.losesCrossing, "8.6-lesser-stands", invites: true),
        .init(.refusesUnknownDecline, "8.4-unknown-reason", invites: true), .init(.ignoresCancel, "8.5-crosses-accept"),
    ]

    private static let certificates: [Detection] = [
        .init(.takesUnannouncedChain, "10.2-chain-unannounced"), .init(.ignoresBinding, "10.4-flipped-signature"),
        .init(.takesBindingOfOtherRole, "10.4-other-role"),
        .init(.takesReadyWithoutCertificates, "10.5-ready-early"), .init(.sendsReadyUnasked, "10.5-ready-unasked"),
        .init(.takesReadyTwice, "10.5-ready-twice"), .init(.takesPayloadBeforeOpen, "10.5-message-before-ready"),
    ]

    private static let protection: [Detection] = [
        .init(.ignoresFailedTag, "12.4-flipped-tag-open"), .init(.dropsUnverifiedRecords, "12.4-replayed-open"),
        .init(.forgetsRekey, "12.5-rekey"), .init(.ignoresRekey, "12.6-rekey"),
        .init(.takesFramesBehindRekey, "12.6-padding-behind"), .init(.forgetsPadding, "5-session"),
        .init(.takesAuthenticatedOnEncrypted, "11-authenticated-record"),
        .init(.takesEncryptedOnReadable, "11-encrypted-payload"),
        .init(.takesControlOnReadable, "11-readable-file-offer"),
        .init(.takesLongRecordBeforeProof, "19-record-before-proof"), .init(.ignoresLimitBeforeOpen, "19-before-open"),
    ]

    private static let rest: [Detection] = [
        .init(.takesSurplusData, "15.1-too-much-data"), .init(.takesPartAlone, "15.1-part-alone"),
        .init(.takesTooLongMessage, "15.1-too-long"), .init(.takesFileGap, "15.3-data-wrong-offset"),
        .init(.takesFileBeyondSize, "15.3-data-beyond"), .init(.takesAnyHash, "15.3-wrong-hash"),
        .init(.takesSecondOffer, "15.3-second-offer"), .init(.takesAnyFileID, "15.3-first-id"),
        .init(.takesUnknownFileCancel, "15.4-cancel-unoffered"), .init(.answersNoClose, "16.1-close-open"),
        .init(.readsBehindClose, "16.1-records-behind"), .init(.keepsStreamOpen, "16.1-unanswered"),
        .init(.sendsBehindClose, "16.1-close-identified"), .init(.refusesUnknownCloseCode, "16.1-unknown-code"),
        .init(.callsTruncationClosed, "16.2-truncated-open"), .init(.ignoresHandshakeDeadline, "19-deadline-proof"),
        .init(.ignoresCertificateDeadline, "19-deadline-ready"),
    ]
}
