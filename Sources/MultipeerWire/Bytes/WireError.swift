/// An error for bytes that do not decode (SPEC §3.5), with the field where decoding failed.
public struct WireError: Error, Hashable, Sendable {
    /// What is wrong.
    public enum Reason: Hashable, Sendable {
        /// The enclosing structure ends too early.
        case truncated
        /// An integer is longer than it needs to be (R3.2-1).
        case nonMinimalInteger
        /// A length is outside its range, or is not a whole number of elements (R3.3-1).
        case lengthOutOfRange
        /// Bytes are left over at the end of a structure (R3.3-2).
        case trailingBytes
        /// A value is outside its range.
        case valueOutOfRange
        /// An element appears twice, or a list that must ascend does not.
        case notAscending
        /// Text is not well-formed UTF-8.
        case illFormedText
        /// A field of even type, or a value of an extensible enumeration, is unknown: `unsupported`.
        case unknownCritical
    }

    /// What is wrong.
    public let reason: Reason
    /// The field where it is wrong.
    public let field: WireField

    /// Creates an error.
    public init(_ reason: Reason, in field: WireField) {
        self.reason = reason
        self.field = field
    }

    /// The code that is sent to the peer (SPEC §18).
    public var closeCode: CloseCode { reason == .unknownCritical ? .unsupported : .malformed }
}

/// The places that a ``WireError`` can name. Each field of SPEC.md has one.
public enum WireField: Hashable, Sendable {
    case magic
    case recordKind, recordLength
    case frameType, framePayload
    case versions, suites, extensions, extensionType, ephemeral, confirmation
    case version, suite
    case refusalCode
    case fields, fieldType, fieldValue
    case identityKey, signature
    case displayName, maximumMessage, features
    case founder, nonce, parameters, sessionKind
    case preference, identityKind, timeout, context
    case outcome
    case reason, detail
    case chain, certificate, algorithm
    case ready
    case messageTotal, messageData
    case fileID, fileSize, fileName, fileOffset, fileData, fileDigest
    case fileTag, fileType, fileModified, fileManifest, fileCredit
    case streamID, streamCredit, streamName, streamData, streamSize, streamCode
    case creditKind, creditID, creditLimit
    case acknowledgedCount
    case association, epoch, receivedCount, filePositions, resumeProof
    case pingData
    case admission, maximumMembers, uniting, session
    case admitter, admissions
    case entries, entry, member, instance, sequence, presence, addresses, addressKind, addressValue
    case rosterDigest, items, entryHash, wantedMembers
    case memberPath, memberSize
    case datagramPort
    case commitment, share, codeNumber, codeConfirmation
    case closeCode
}
