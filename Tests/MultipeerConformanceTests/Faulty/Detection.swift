import MultipeerConformance
import MultipeerScriptedPeer
import MultipeerWire

/// Which case catches which fault, and in what set-up.
struct Detection: Sendable {
    let fault: Fault
    let caseID: String
    /// The tester's end of the stream.
    var tester = StreamRole.initiator
    var invites = false
    var encryption = EncryptionPreference.optional
    /// What the peer's person does (SPEC §25); nil where it does not list the feature.
    var verification: PeerProfile.Verification?

    private init(
        _ fault: Fault, _ caseID: String, _ tester: StreamRole = .initiator, invites: Bool = false,
        _ encryption: EncryptionPreference = .optional, verification: PeerProfile.Verification? = nil
    ) {
        self.fault = fault
        self.caseID = caseID
        self.tester = tester
        self.invites = invites
        self.encryption = encryption
        self.verification = verification
    }

    static let all: [Detection] =
        framing + negotiation + handshake + invitation + certificates + protection + credit + association + files
        + resuming + offering + streams + rest + codes + strings

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
        .init(.needsNoChain, "8.2-chain-missing"), .init(.takesAnyChain, "8.2-chain-flipped"),
        .init(.takesMemberInvite, "14.8-no-session"),
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

    private static let credit: [Detection] = [
        .init(.takesMessageOverdraft, "13.3-messages-overdraft"),
        .init(.takesTooManyStreams, "13.3-openings-overdraft"), .init(.takesTooManyOffers, "13.3-offers-overdraft"),
        .init(.takesStreamOverdraft, "13.3-stream-overdraft"),
        .init(.takesFileOverdraft, "13.3-file-overdraft", .responder, invites: true),
        .init(.takesEqualCredit, "13.4-messages-equal"), .init(.takesUnknownCreditKind, "13.4-unknown-kind"),
        .init(.takesCreditOfOwnFile, "13.4-own-file"), .init(.grantsNoMessages, "13.5-messages"),
        .init(.grantsNoRest, "13.5-long-message"), .init(.grantsNoOpenings, "13.5-streams"),
        .init(.grantsNoOffers, "13.5-offers"), .init(.grantsNoBytes, "13.5-stream"),
        .init(.stopsAllForOne, "13.3-slow-stream"),
    ]

    private static let association: [Detection] = [
        .init(.takesAnyNumber, "13.2-skipped"), .init(.takesUnusedNumbers, "13.2-unused-stream-end"),
        .init(.takesOtherKind, "13.2-file-frame-of-stream"), .init(.takesEndedNumbers, "13.2-ended-data"),
        .init(.refusesWhatCrossed, "13.2-crossed"), .init(.takesAnyAck, "13.6-too-high"),
        .init(.acknowledgesParts, "13.6-part"), .init(.acknowledgesNothing, "13.6-by-itself"),
        .init(.forgetsLastAck, "13.6-before-close", .responder), .init(.answersNoPing, "13.7-pings"),
        .init(.answersPingWrongly, "13.7-ping"), .init(.refusesPong, "13.7-pong-unasked"),
        .init(.sendsNoPing, "13.7-asks"), .init(.ignoresSilence, "13.7-silent"),
        .init(.takesSecondAdmit, "14.5-admit-twice"),
        .init(.takesAnyAdmit, "14.5-admit-by-invitee", .responder, invites: true),
        .init(.refusesRoster, "14.5-member"), .init(.ignoresRosterUnread, "14.5-roster-twice"),
        .init(.takesSummaryUnasked, "14.5-summary-unasked"),
        .init(.takesAnyEnter, "14.11-enter-unoffered"),
    ]

    private static let files: [Detection] = [
        .init(.takesFileGap, "15.3-data-wrong-offset"), .init(.takesFileBeyondSize, "15.3-data-beyond"),
        .init(.takesAnyHash, "15.3-wrong-hash"), .init(.takesUnknownFileCancel, "15.4-cancel-unoffered"),
        .init(.refusesSecondFile, "15.3-two-files"), .init(.doneEarly, "15.3-transfer"),
        .init(.takesDataBehindFileEnd, "15.3-data-behind-end"), .init(.takesAnswersToNoOffer, "15.3-done-live"),
        .init(.takesAnyManifest, "15.8-parent"),
    ]

    private static let resuming: [Detection] = [
        .init(.hashesNothingOfHeld, "15.7-resumed"), .init(.holdsUntagged, "15.7-no-tag"),
        .init(.holdsOtherSize, "15.7-other-size"), .init(.holdsForAnybody, "15.7-other-identity"),
        .init(.holdsTwice, "15.7-live-twice"), .init(.keepsWhatDiffers, "15.7-beginning-differs"),
    ]

    private static let offering: [Detection] = [
        .init(.sendsBeyondCredit, "15.3-sent"), .init(.hashesOnlyTheRest, "15.7-offset"),
        .init(.sendsOnWhatDiffers, "15.3-wrong-beginning"), .init(.answersNoCancel, "15.3-refused"),
        .init(.takesSecondAccept, "15.3-accept-twice"), .init(.takesDoneEarly, "15.3-done-early"),
        .init(.takesEqualFileCredit, "13.4-file-equal"),
    ]

    private static let streams: [Detection] = [
        .init(.takesWrongStreamSize, "15.6-end-too-small"), .init(.takesDataBehindStreamEnd, "15.6-data-behind-end"),
        .init(.takesEmptyStreamData, "15.6-empty-data"), .init(.answersNoStop, "15.6-stop"),
        .init(.endsWhatNeverWas, "15.6-one-way"),
    ]

    private static let codes: [Detection] = [
        .init(.takesUnlistedFrames, "25.6-not-listed-code-begin", verification: .nothing),
        .init(.answersAnyCode, "25.6-no-code", verification: .nothing),
        .init(.takesAnswersUnasked, "25.7-answer-unasked", verification: .nothing),
        .init(.takesConfirmationsUnasked, "25.7-confirm-unasked", verification: .nothing),
        .init(.takesAnyShare, "25.5-begin-identity", verification: .shows),
        .init(.takesAnyConfirmation, "25.5-guess-word", verification: .shows),
        .init(.takesOwnConfirmation, "25.5-typed-confirmation-reflected", verification: .types),
        .init(.confirmsFirst, "25.5-guess-flipped", verification: .shows),
        .init(.takesInviteInPairing, "25.7-invite-in-pairing", verification: .shows),
        .init(.keepsBurnedCodes, "25.5-guess-again", verification: .shows),
        .init(.burnsWhatWasLeft, "25.6-attempt-left", verification: .shows),
        .init(.takesOneAttempt, "25.6-several-attempts", verification: .shows),
        .init(.comparesBurnedCodes, "25.6-several-attempts", verification: .shows),
        .init(.takesSecondAttempt, "25.6-second-attempt", verification: .shows),
        .init(.ignoresAttemptDeadline, "25.6-attempt-deadline", verification: .shows),
        .init(.neverYields, "25.7-both-type-stands", verification: .types),
    ]

    private static let strings: [Detection] = [
        .init(.takesAnyReveal, "25.3-other-nonce", verification: .compares),
        .init(.answersStringsUnasked, "25.6-commit", verification: .nothing),
        .init(.takesStringsTwice, "25.6-reveal-twice", verification: .compares),
    ]

    private static let rest: [Detection] = [
        .init(.takesSurplusData, "15.1-too-much-data"), .init(.takesPartAlone, "15.1-part-alone"),
        .init(.takesTooLongMessage, "15.1-too-long"),
        .init(.answersNoClose, "16.1-close-open"),
        .init(.readsBehindClose, "16.1-records-behind"), .init(.keepsStreamOpen, "16.1-unanswered"),
        .init(.sendsBehindClose, "16.1-close-identified"), .init(.refusesUnknownCloseCode, "16.1-unknown-code"),
        .init(.callsTruncationClosed, "16.2-truncated-open"), .init(.ignoresHandshakeDeadline, "19-deadline-proof"),
        .init(.ignoresCertificateDeadline, "19-deadline-ready"),
    ]
}
