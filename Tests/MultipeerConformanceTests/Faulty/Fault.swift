/// What a peer can do wrong. One switch each; the table in docs/conformance.md says which case catches it.
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
    case needsNoChain, takesAnyChain, takesMemberInvite
    // Certificates
    case takesUnannouncedChain, ignoresBinding, takesBindingOfOtherRole, takesReadyWithoutCertificates,
        sendsReadyUnasked
    case takesReadyTwice, takesPayloadBeforeOpen
    // Protection
    case ignoresFailedTag, dropsUnverifiedRecords, forgetsRekey, ignoresRekey, takesFramesBehindRekey, forgetsPadding,
        takesAuthenticatedOnEncrypted, takesEncryptedOnReadable
    case takesControlOnReadable, takesLongRecordBeforeProof, ignoresLimitBeforeOpen
    // Credit
    case takesMessageOverdraft, takesTooManyStreams, takesTooManyOffers, takesStreamOverdraft, takesFileOverdraft
    case takesEqualCredit, takesUnknownCreditKind, takesCreditOfOwnFile
    case grantsNoMessages, grantsNoRest, grantsNoOpenings, grantsNoOffers, grantsNoBytes, stopsAllForOne
    // Numbers
    case takesAnyNumber, takesUnusedNumbers, takesOtherKind, takesEndedNumbers, refusesWhatCrossed
    // Acknowledgements and keep-alive
    case takesAnyAck, acknowledgesParts, acknowledgesNothing, forgetsLastAck
    case answersNoPing, answersPingWrongly, refusesPong, sendsNoPing, ignoresSilence
    // Sessions
    case takesSecondAdmit, takesAnyAdmit, refusesRoster, ignoresRosterUnread, takesSummaryUnasked, takesAnyEnter
    // Messages
    case takesSurplusData, takesPartAlone, takesTooLongMessage
    // Files
    case takesFileGap, takesFileBeyondSize, takesAnyHash, takesUnknownFileCancel, refusesSecondFile, doneEarly
    case takesDataBehindFileEnd, takesAnswersToNoOffer, takesAnyManifest
    case hashesNothingOfHeld, holdsUntagged, holdsOtherSize, holdsForAnybody, holdsTwice, keepsWhatDiffers
    case sendsBeyondCredit, takesSecondAccept, takesDoneEarly, answersNoCancel, sendsOnWhatDiffers, hashesOnlyTheRest
    case takesEqualFileCredit
    // Streams
    case takesWrongStreamSize, takesDataBehindStreamEnd, takesEmptyStreamData, answersNoStop, endsWhatNeverWas
    // Closing
    case answersNoClose, readsBehindClose, keepsStreamOpen, sendsBehindClose, refusesUnknownCloseCode,
        callsTruncationClosed
    // Deadlines
    case ignoresHandshakeDeadline, ignoresCertificateDeadline
    // Verification
    case takesUnlistedFrames, answersAnyCode, takesAnswersUnasked, takesConfirmationsUnasked
    case takesAnyShare, takesAnyConfirmation, takesOwnConfirmation, confirmsFirst, takesInviteInPairing
    case keepsBurnedCodes, burnsWhatWasLeft, takesOneAttempt, comparesBurnedCodes, takesSecondAttempt,
        ignoresAttemptDeadline, neverYields
    case takesAnyReveal, answersStringsUnasked, takesStringsTwice
}
