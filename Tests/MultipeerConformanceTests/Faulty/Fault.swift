/// What a peer can do wrong. One switch each; the table in docs/conformance.md tells which case catches it.
enum Fault: String, CaseIterable, Sendable {
    // Framing
    case readsLongIntegers, toleratesTrailingBytes, toleratesEvenFields, toleratesFieldOrder, toleratesBadNames
    case waitsForWholeMagic, answersBadMagic, waitsForWholeRecord, toleratesLongHello, toleratesFramesTooLong
    case ignoresUnknownEvenFrames, refusesUnknownOddFrames, skipsOddFramesBeforeProof
    // Negotiation
    case toleratesDuplicateVersions, toleratesExtensionOrder, choosesGrease, prefersOwnSuite, refusesWithGrease
    case takesAnyVersion, takesAnySuite, takesAnyExtension, ignoresRefusal
    // Handshake and proofs
    case ignoresConfirmation, takesWeakKeys, ignoresProofSignature, takesReflectedRole, looksAtKeyFirst
    case takesNeutralKey, takesAnyPeer, takesSecondProof, provesFirst, showsNameEarly, takesPeerInfoBeforeProof
    // Invitations
    case takesChangedOutcome, takesWrongPreference, takesAnyFounder, acceptsAgainstPolicy, choosesWrongOutcome,
        takesSecondInvite
    case takesInviteBeforePeerInfo, losesCrossing, refusesUnknownDecline, ignoresCancel
    // Certificates
    case takesUnannouncedChain, ignoresBinding, takesBindingOfOtherRole, takesReadyWithoutCertificates,
        sendsReadyUnasked
    case takesReadyTwice, takesPayloadBeforeOpen
    // Protection
    case ignoresFailedTag, dropsUnverifiedRecords, forgetsRekey, ignoresRekey, takesFramesBehindRekey, forgetsPadding,
        takesAuthenticatedOnEncrypted, takesEncryptedOnReadable
    case takesControlOnReadable, takesLongRecordBeforeProof, ignoresLimitBeforeOpen
    // Payload
    case takesSurplusData, takesPartAlone, takesTooLongMessage, takesFileGap, takesFileBeyondSize, takesAnyHash
    case takesSecondOffer, takesAnyFileID, takesUnknownFileCancel
    // Closing
    case answersNoClose, readsBehindClose, keepsStreamOpen, sendsBehindClose, refusesUnknownCloseCode,
        callsTruncationClosed
    // Deadlines
    case ignoresHandshakeDeadline, ignoresCertificateDeadline
}
