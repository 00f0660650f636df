/// What the flags of tests mean: the one mutation that a negative case has, or what is special about a positive one.
enum Flags {
    private static func note(_ bugType: String, _ spec: String, _ description: String) -> VectorFile.Note {
        VectorFile.Note(bugType: bugType, description: description, spec: "§" + spec)
    }

    static let notes: [String: VectorFile.Note] = encoding.merging(stream) { own, _ in own }
        .merging(cryptographic) { own, _ in own }.merging(behaviour) { own, _ in own }

    private static let encoding: [String: VectorFile.Note] = [
        "WrongShare": note("PARSING", "7.6", "extension 0x0001 is missing, unexpected or of another length"),
        "NonMinimalInteger": note("PARSING", "3.2", "a varint is longer than it needs to be"),
        "Truncated": note("PARSING", "3.3", "the structure ends before its last field"),
        "TrailingBytes": note("PARSING", "3.3", "bytes follow the last field"),
        "LengthOutOfRange": note("PARSING", "3.3", "a vector has fewer or more bytes than its range allows"),
        "LengthExceedsRest": note("PARSING", "3.3", "a vector claims more bytes than are left"),
        "CutElement": note("PARSING", "3.3", "a vector ends in the middle of an element"),
        "ValueOutOfRange": note("RANGE", "3.5", "a number or enumeration is outside of its range"),
        "Duplicate": note("PARSING", "7.1", "a value or a type stands twice"),
        "NotAscending": note("PARSING", "3.4", "types are not in strictly ascending order"),
        "IllFormedText": note("TEXT", "4.2", "the bytes are not well-formed UTF-8"),
        "BlankName": note("TEXT", "4.2", "there is nothing in the name that can be seen"),
        "ForbiddenCodePoint": note(
            "TEXT", "4.2", "the text has a control, a bidirectional override or what cannot be seen"),
        "UnknownCritical": note("EXTENSION", "6.4", "a type or value of even or closed kind that nobody knows"),
        "UnknownIgnorable": note("EXTENSION", "6.4", "a type of odd number that nobody knows, to be skipped"),
        "UnknownValue": note("EXTENSION", "3.4", "a value that nobody knows, to be ignored or replaced"),
        "Normalized": note(
            "EXTENSION", "8.4", "an unknown reason decodes to the one that it is treated as; it is not encoded again"),
        "Grease": note("EXTENSION", "7.4", "a reserved value that keeps the extension point working"),
        "MissingField": note("PARSING", "8.2", "a field that has to be there is missing"),
        "ForbiddenField": note("PARSING", "8.2", "a field that must not be there"),
        "EmptyData": note("PARSING", "15.1", "a payload frame that carries nothing"),
        "ExcessData": note("PARSING", "15.1", "a payload frame carries more than its message or file lacks"),
        "ContradictingIdentity": note("CONSISTENCY", "10.2", "certificates contradict the identityKind"),
    ]

    private static let stream: [String: VectorFile.Note] = [
        "WrongMagic": note("STREAM", "6.1", "a byte of the magic differs"),
        "UnknownRecordKind": note("STREAM", "6.2", "a record kind that is not registered"),
        "RecordLength": note("STREAM", "6.2", "a record's length is outside of the range of its kind"),
        "RecordOutOfOrder": note("STREAM", "6.2", "a record kind that may not come here"),
        "ExceedsLimit": note("LIMIT", "19", "more than a limit of §19 allows"),
        "Truncation": note("STREAM", "16.2", "the stream ends without CLOSE"),
    ]

    private static let cryptographic: [String: VectorFile.Note] = [
        "ModifiedCiphertext": note("AUTHENTICATION", "12.4", "a bit of the ciphertext is flipped"),
        "ModifiedTag": note("AUTHENTICATION", "12.4", "a bit of the tag is flipped"),
        "ModifiedHeader": note("AUTHENTICATION", "12.4", "the header is not the one that was authenticated"),
        "WrongKey": note("AUTHENTICATION", "12.4", "another key"),
        "WrongCounter": note("AUTHENTICATION", "12.4", "another counter: replayed, reordered or dropped"),
        "MissedRekey": note("KEYS", "12.5", "sealed with the key from before a rekey"),
        "EarlyRekey": note("KEYS", "12.5", "sealed with the next key before its time"),
        "CounterUsedUp": note("KEYS", "12.1", "the counter has come to its reserved value"),
        "WrongProtection": note("PROTECTION", "12.4", "a frame or record under the wrong protection"),
        "ModifiedConfirmation": note("HANDSHAKE", "9.3", "a bit of the confirmation is flipped"),
        "ModifiedPrologue": note("HANDSHAKE", "9.1", "a byte of the negotiation is not the one that was sent"),
        "WrongSuite": note("HANDSHAKE", "9.1", "the other suite's algorithm or name"),
        "WrongSecret": note("HANDSHAKE", "7.6", "the secret is not the one of the ciphertext"),
        "BadEncapsulationKey": note("HANDSHAKE", "7.6", "an encapsulation key that FIPS 203 refuses"),
        "LowOrderKey": note("HANDSHAKE", "9.4", "an X25519 key whose shared secret is all zero"),
        "NonCanonicalKey": note("HANDSHAKE", "9.4", "an X25519 key in another encoding; accepted"),
        "ResponderFails": note("HANDSHAKE", "9.4", "the responder judges, with its ephemeral key"),
        "BadSignature": note("SIGNATURE", "9.5", "the signature is not over the right bytes, or is changed"),
        "ReflectedProof": note("SIGNATURE", "9.5", "signed for the other role"),
        "WrongTranscript": note("SIGNATURE", "9.5", "signed for another link"),
        "MissingLabel": note("SIGNATURE", "9.5", "signed without the label"),
        "MisboundKey": note("SIGNATURE", "9.5", "another identity key than the signer's"),
        "NonCanonicalScalar": note("SIGNATURE", "9.6", "S is not below the group order"),
        "SmallOrderPoint": note("SIGNATURE", "9.6", "the key or R has small order"),
        "NonCanonicalPoint": note("SIGNATURE", "9.6", "the key or R is not the canonical encoding of a point"),
        "CofactoredOnly": note("SIGNATURE", "9.6", "verifies by the equation with cofactor alone"),
        "WrongChain": note(
            "SESSION", "14.2", "a chain of admissions that does not lead from the founder to the member"),
        "Contradiction": note("SESSION", "14.4", "two entries of one member with the same numbers"),
        "BadPath": note("FOLDERS", "15.8", "a path with a part that cannot be"),
        "BelowFile": note("FOLDERS", "15.8", "a path below another one that is a file"),
        "WrongSum": note("FOLDERS", "15.8", "sizes that do not add up"),
        "OwnIdentity": note("IDENTITY", "9.5", "the peer shows the receiver's own key"),
        "UnexpectedIdentity": note("IDENTITY", "9.5", "another peer than expected"),
        "AlgorithmMismatch": note("CERTIFICATES", "10.4", "the algorithm does not fit the leaf's key"),
        "UnsupportedKey": note("CERTIFICATES", "10.3", "a key of a type or size that §10.3 does not list"),
        "LeafMalformed": note("CERTIFICATES", "10.4", "the leaf is no certificate"),
        "WrongCommitment": note("PAIRING", "25.3", "the nonce is not the one that was committed to"),
        "UnknownWord": note("PAIRING", "25.4", "a word that is not in the list"),
        "WrongCode": note("PAIRING", "25.5", "the peer has another code"),
        "NoElement": note("PAIRING", "25.5", "bytes that no element of the group is encoded as"),
        "CodeUnavailable": note(
            "PAIRING", "25.6", "no code is shown, or one of another number, or another attempt is under way"),
        "Burned": note("PAIRING", "25.5", "a code that has been used up"),
        "CrossingCodes": note("PAIRING", "25.7", "both sides type a code, or one types and the other invites"),
        "NotListed": note("PAIRING", "25.6", "a frame of a feature that a side does not list"),
        "StringsDiffer": note("PAIRING", "25.3", "two persons see different strings"),
        "Reflected": note("PAIRING", "25.5", "what a side has sent comes back to it"),
    ]

    private static let behaviour: [String: VectorFile.Note] = [
        "WrongNumber": note("NUMBERS", "13.2", "a stream or file begins with another number than the next one"),
        "UnusedNumber": note("NUMBERS", "13.2", "a frame names a number that nobody has begun"),
        "EndedNumber": note("NUMBERS", "13.2", "a frame names a number that has ended"),
        "EndedDirection": note("STATE", "15.6", "a frame behind the end of a direction of a stream"),
        "WrongSize": note("STATE", "15.6", "another size than the bytes that came"),
        "Overdraft": note("CREDIT", "13.3", "more than the limit is used"),
        "NotRaised": note("CREDIT", "13.4", "a state that does not grow"),
        "ExceedsSent": note("STATE", "13.6", "more is acknowledged than was sent"),
        "NotOffered": note("NEGOTIATION", "7.3", "the responder chose what was not offered or is not supported"),
        "NoCommonVersion": note("NEGOTIATION", "7.5", "no version in common"),
        "NoCommonSuite": note("NEGOTIATION", "7.5", "no suite in common"),
        "Busy": note("NEGOTIATION", "7.5", "a responder with too many connections"),
        "Refused": note("NEGOTIATION", "7.5", "the responder answers with REFUSAL"),
        "UnexpectedFrame": note("STATE", "17", "a frame that the state does not allow"),
        "BeforeProof": note("STATE", "6.4", "something else than PROOF or CLOSE before the peer is proved"),
        "FrameBeforeFault": note("STATE", "6.3", "a good frame stands before the faulty one in the same record"),
        "PolicyViolation": note("POLICY", "8.3", "an outcome that §11 does not give"),
        "PolicyConflict": note("POLICY", "8.4", "preferences that cannot be reconciled"),
        "CrossingInvitations": note("STATE", "8.6", "two INVITEs cross, on one link or on several"),
        "CrossedFrame": note("STATE", "15.4", "a frame that crossed the end of what it speaks of, to be ignored"),
        "AfterClose": note("STATE", "16.1", "bytes after CLOSE"),
        "Late": note("DEADLINE", "18", "a deadline has passed"),
        "Declined": note("INVITATION", "8.4", "the invitation is declined"),
        "Cancelled": note("INVITATION", "8.5", "the invitation is taken back"),
        "ClosedByPeer": note("CLOSING", "16.1", "the peer closes"),
        "Rejected": note("VERDICT", "10.5", "the app rejects"),
        "HashMismatch": note("FILES", "15.3", "another hash than the file's"),
        "Precedence": note("ERRORS", "18", "several errors apply; one comes first"),
        "TwoFaults": note("ERRORS", "18", "a second fault stands behind the one that is reported"),
    ]
}
