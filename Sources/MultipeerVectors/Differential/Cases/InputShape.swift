/// What a member of `inputs` is (Vectors/README.md, "Groups"), so that a mutation leaves a question that can be asked.
enum InputShape {
    /// Bytes in hexadecimal, any.
    case bytes
    /// The same; they are UTF-8 in honest cases.
    case text
    /// A fixed number of bytes.
    case fixed(Int)
    /// Magic and a whole HELLO record.
    case opening
    /// A list of byte strings.
    case list
    /// A list of `{type, payload}`.
    case frames
    /// Decimal text of 64 bits.
    case counter
    /// An integer, one of these.
    case number([Int])
    /// One of these words.
    case word([String])

    /// Private keys with which a vector is signed again. Questions have none: after a change they are those of other signatures.
    static let signers: Set<String> = ["seed", "seeds"]

    /// The members that a group's inputs may have. What is not named is left as it is.
    static func members(of group: VectorGroupType) -> [String: InputShape] {
        switch group {
        case .varint: ["bytes": .bytes]
        case .frames: ["plaintext": .bytes]
        case .recordStream:
            [
                "bytes": .bytes, "opening": .word(["hello", "protected"]),
                "maximumRecordLength": .number([18, 21, 22, 64, 1_024, 65_535]),
                "allowance": .number([0, 20, 21, 22, 42, 1_024, 131_072]),
            ]
        case .initiatorHello, .responderHello, .refusal, .responderChoice, .initiatorCheck: ["body": .bytes]
        case .controlFrame, .payloadFrame: ["payload": .bytes]
        case .fileName, .displayName: ["name": .text]
        case .handshake:
            [
                "initiatorEphemeralPrivate": .fixed(32), "responderEphemeralPrivate": .fixed(32),
                "initiatorOpening": .opening, "responderOpening": .opening,
            ]
        case .proof:
            ["handshakeHash": .fixed(32), "ownIdentity": .fixed(32), "expectedPeer": .fixed(32), "payload": .bytes]
        case .recordProtection: ["key": .fixed(32), "counter": .counter, "records": .list]
        case .rekey: ["key": .fixed(32)]
        case .encryptionPolicy: ["inviter": .number([0, 1, 2]), "invitee": .number([0, 1, 2])]
        case .crossingInvitations:
            ["one": .fixed(32), "oneSession": .fixed(32), "other": .fixed(32), "otherSession": .fixed(32)]
        case .binding: binding
        case .messageAssembly: ["frames": .frames]
        case .sessionIdentifier: ["charter": .bytes]
        case .exporter:
            [
                "exporterKey": .fixed(32), "handshakeHash": .fixed(32), "initiatorKey": .fixed(32),
                "responderKey": .fixed(32), "label": .bytes, "context": .bytes,
                "length": .number([0, 1, 31, 32, 33, 64, 255, 256, 8_160, 8_161, 65_536]),
            ]
        case .resumeProof:
            [
                "exporterKey": .fixed(32), "handshakeHash": .fixed(32), "initiatorKey": .fixed(32),
                "responderKey": .fixed(32), "newHandshakeHash": .fixed(32), "payload": .bytes,
            ]
        case .charterParameters: ["parameters": .bytes]
        // Signatures are of the charter and the member, so these are changed with the rest.
        case .admission: ["charter": .bytes, "member": .fixed(32), "chain": .bytes]
        case .rosterEntry: ["charter": .bytes, "entry": .bytes]
        case .roster: ["entries": .list]
        case .manifest: ["manifest": .bytes, "size": .counter]
        case .shortString: shortString
        case .oneTimeCode: ["text": .text]
        case .codeExchange: codeExchange
        case .publication: publication
        case .advertisement: ["instanceName": .text, "strings": .list]
        case .datagram:
            [
                "exporterSecret": .fixed(32), "sender": .word(["initiator", "responder"]), "counter": .counter,
                "kind": .number([4, 5, 6]), "contents": .bytes,
            ]
        case .linkScript, .session, .associationScript, .nodeScript, .datagramScript: [:]
        }
    }

    private static let binding: [String: InputShape] = [
        "handshakeHash": .fixed(32), "initiatorKey": .fixed(32), "responderKey": .fixed(32),
        "inviterRole": .word(["initiator", "responder"]), "signerRole": .word(["initiator", "responder"]),
        "initiatorInfoFrame": .bytes, "responderInfoFrame": .bytes, "inviteFrame": .bytes, "acceptFrame": .bytes,
        "chain": .list, "signature": .bytes,
        "algorithm": .number([0, 0x0403, 0x0503, 0x0804, 0x0807, 0x0809]),
    ]

    private static let export: [String: InputShape] = [
        "exporterKey": .fixed(32), "handshakeHash": .fixed(32), "initiatorKey": .fixed(32), "responderKey": .fixed(32),
    ]

    private static let shortString = export.merging([
        "commitment": .fixed(32), "initiatorNonce": .fixed(32), "responderNonce": .fixed(32),
    ]) { own, _ in own }

    private static let codeExchange = export.merging([
        "typist": .word(["initiator", "responder"]), "code": .text, "random": .fixed(32), "data": .bytes,
        "peerShare": .fixed(32), "peerData": .bytes, "peerConfirmation": .fixed(32),
    ]) { own, _ in own }

    private static let publication: [String: InputShape] = [
        "service": .text, "identityKey": .fixed(32), "random": .fixed(8), "name": .text,
        "attempt": .number([1, 2, 9, 10, 99, 100]), "info": .list,
    ]

    /// Members that a case may lack.
    static let optional: Set<String> = ["expectedPeer", "maximumRecordLength", "allowance"]
}
