import MultipeerWire

/// A control frame and its payload, written out by the tests' own encoders.
struct FrameSample: Sendable {
    let name: String
    let frame: any ControlFrame & Equatable
    let payload: [UInt8]
}

/// Every control frame of SPEC §6.3 and §25.6, at least once, plain and at the edges of its ranges.
let frameSamples: [FrameSample] =
    closeSamples + identificationSamples + invitationSamples + certificateSamples + fileSamples + flowSamples
    + streamSamples
    + sessionSamples + unionSamples + verificationSamples

private let closeSamples: [FrameSample] = [
    FrameSample(name: "CLOSE no_error", frame: Close(code: .noError), payload: [0, 0]),
    FrameSample(name: "CLOSE internal", frame: Close(code: .internalError), payload: [0x22, 0]),
    FrameSample(
        name: "CLOSE moved with a field", frame: Close(code: .moved, fields: [Field(type: 1, value: [2])]),
        payload: [0x23] + vector(field(1, [2]))),
    FrameSample(
        name: "CLOSE largest", frame: Close(code: CloseCode(rawValue: VarInt.maximum)),
        payload: varint(VarInt.maximum) + [0]),
]

private let identificationSamples: [FrameSample] = [
    FrameSample(
        name: "PROOF", frame: Proof(identityKey: counting(32), signature: counting(64, from: 50)),
        payload: counting(32) + counting(64, from: 50)),
    FrameSample(
        name: "PEER_INFO", frame: PeerInfo(displayName: Array("Zoë".utf8), maximumMessage: 1),
        payload: vector(Array("Zoë".utf8)) + [1, 0, 0]),
    FrameSample(
        name: "PEER_INFO without a name", frame: PeerInfo(displayName: [], maximumMessage: 9),
        payload: [0, 9, 0, 0]),
    FrameSample(
        name: "PEER_INFO at its edges",
        frame: PeerInfo(
            displayName: [UInt8](repeating: 0x41, count: 63), maximumMessage: 0xFFFF_FFFF,
            features: [0x0102, 0x0304], fields: [Field(type: 1, value: counting(100))]),
        payload: vector([UInt8](repeating: 0x41, count: 63)) + varint(0xFFFF_FFFF) + [4, 1, 2, 3, 4]
            + vector(field(1, counting(100)))),
]

private let invitationSamples: [FrameSample] = [
    FrameSample(
        name: "INVITE",
        frame: Invite(
            charter: Charter(founder: counting(32), nonce: counting(32, from: 7)), sessionKind: .new,
            preference: .required, identityKind: .x509, timeout: 30_000, context: [7]),
        payload: counting(32) + counting(32, from: 7) + [0, 1, 2, 1] + varint(30_000) + [1, 7, 0]),
    FrameSample(
        name: "INVITE at its edges",
        frame: Invite(
            charter: Charter(
                founder: counting(32), nonce: counting(32), parameters: [Field(type: 1, value: counting(1_021))]),
            sessionKind: .existing, preference: .none, identityKind: .none, timeout: 600_000,
            context: counting(16_384),
            chain: [], fields: [Field(type: 31, value: counting(4_096)), Field(type: 33, value: counting(4_088))]),
        payload: counting(32) + counting(32) + vector(field(1, counting(1_021))) + [0, 0, 0] + varint(600_000)
            + vector(counting(16_384))
            + vector(field(2) + field(31, counting(4_096)) + field(33, counting(4_088)))),
    FrameSample(
        name: "ACCEPT", frame: Accept(preference: .optional, identityKind: .x509, outcome: .encrypted),
        payload: [1, 1, 1, 0]),
    FrameSample(
        name: "ACCEPT with a field",
        frame: Accept(
            preference: .none, identityKind: .none, outcome: .readable, fields: [Field(type: 5, value: [1])]),
        payload: [0, 0, 0] + vector(field(5, [1]))),
    FrameSample(name: "DECLINE declined", frame: Decline(.declined), payload: [1, 0, 0]),
    FrameSample(name: "DECLINE busy", frame: Decline(.busy), payload: [2, 0, 0]),
    FrameSample(name: "DECLINE policy none", frame: Decline(.encryptionPolicy(.none)), payload: [3, 1, 0, 0]),
    FrameSample(name: "DECLINE policy optional", frame: Decline(.encryptionPolicy(.optional)), payload: [3, 1, 1, 0]),
    FrameSample(name: "DECLINE policy required", frame: Decline(.encryptionPolicy(.required)), payload: [3, 1, 2, 0]),
    FrameSample(name: "DECLINE timeout", frame: Decline(.timeout), payload: [4, 0, 0]),
    FrameSample(name: "DECLINE no_session", frame: Decline(.noSession), payload: [6, 0, 0]),
    FrameSample(name: "DECLINE full", frame: Decline(.full), payload: [7, 0, 0]),
    FrameSample(
        name: "INVITE of a member",
        frame: Invite(
            charter: Charter(
                founder: counting(32), nonce: counting(32),
                parameters: [Field(type: 2, value: [1]), Field(type: 4, value: [0x41, 0])]),
            sessionKind: .members, preference: .optional, identityKind: .none, timeout: 1, context: [],
            chain: [Admission(admitter: counting(32), signature: counting(64))],
            fields: [Field(type: 1, value: []), Field(type: 3, value: [1])]),
        payload: counting(32) + counting(32) + vector(field(2, [1]) + field(4, [0x41, 0])) + [2, 1, 0, 1, 0]
            + vector(field(1) + field(2, counting(32) + counting(64)) + field(3, [1]))),
    FrameSample(name: "CANCEL cancelled", frame: Cancel(.cancelled), payload: [1, 0]),
    FrameSample(name: "CANCEL timeout", frame: Cancel(.timeout), payload: [2, 0]),
]

private let certificateSamples: [FrameSample] = [
    FrameSample(name: "CERTIFICATES none", frame: Certificates.none, payload: [0, 0, 0, 0, 0]),
    FrameSample(
        name: "CERTIFICATES of two",
        frame: Certificates(chain: [[1, 2, 3], counting(100)], algorithm: 0x0807, signature: counting(64)),
        payload: vector(vector([1, 2, 3]) + vector(counting(100))) + [0x08, 0x07] + vector(counting(64)) + [0]),
    FrameSample(
        name: "CERTIFICATES at their edges",
        frame: Certificates(
            chain: [[UInt8]](repeating: counting(6_144), count: 8), algorithm: 0xFFFF, signature: counting(4_096),
            fields: [Field(type: 9, value: counting(4_093))]),
        payload: vector((0..<8).flatMap { _ in vector(counting(6_144)) }) + [0xFF, 0xFF] + vector(counting(4_096))
            + vector(field(9, counting(4_093)))),
    FrameSample(name: "READY", frame: Ready(), payload: [0]),
    FrameSample(name: "REKEY", frame: Rekey(), payload: [0]),
    FrameSample(name: "DATAGRAMS", frame: Datagrams(port: 50_001), payload: [0xC3, 0x51, 0]),
    FrameSample(
        name: "REKEY with a field", frame: Rekey(fields: [Field(type: 3, value: [])]), payload: vector(field(3))),
]

private let unionSamples: [FrameSample] = [
    FrameSample(
        name: "UNITE of a founder that admits nobody",
        frame: Unite(charter: Charter(founder: counting(32), nonce: counting(32)), chain: [], admission: []),
        payload: counting(32) + counting(32) + [0, 0, 0, 0]),
    FrameSample(
        name: "UNITE with all its parts",
        frame: Unite(
            charter: Charter(
                founder: counting(32), nonce: counting(32), parameters: [Field(type: 2, value: [1])]),
            chain: [Admission(admitter: counting(32), signature: counting(64))], admission: counting(64, from: 9),
            fields: [Field(type: 1, value: [2])]),
        payload: counting(32) + counting(32) + vector(field(2, [1])) + vector(counting(32) + counting(64))
            + vector(counting(64, from: 9)) + vector(field(1, [2]))),
    FrameSample(name: "ENTER", frame: Enter(session: counting(32)), payload: counting(32) + [0]),
    FrameSample(
        name: "ENTER with a field", frame: Enter(session: counting(32), fields: [Field(type: 3, value: [])]),
        payload: counting(32) + vector(field(3))),
]

private let verificationSamples: [FrameSample] = [
    FrameSample(name: "STRING_ASK", frame: StringAsk(), payload: [0]),
    FrameSample(name: "STRING_COMMIT", frame: StringCommit(commitment: counting(32)), payload: counting(32) + [0]),
    FrameSample(name: "STRING_NONCE", frame: StringNonce(nonce: counting(32)), payload: counting(32) + [0]),
    FrameSample(
        name: "STRING_REVEAL with a field",
        frame: StringReveal(nonce: counting(32), fields: [Field(type: 1, value: [2])]),
        payload: counting(32) + vector(field(1, [2]))),
    FrameSample(
        name: "CODE_BEGIN least", frame: CodeBegin(share: counting(32), number: 1), payload: counting(32) + [1, 0]),
    FrameSample(
        name: "CODE_BEGIN greatest", frame: CodeBegin(share: counting(32), number: 999),
        payload: counting(32) + varint(999) + [0]),
    FrameSample(name: "CODE_ANSWER", frame: CodeAnswer(share: counting(32)), payload: counting(32) + [0]),
    FrameSample(name: "CODE_CONFIRM", frame: CodeConfirm(confirmation: counting(32)), payload: counting(32) + [0]),
]
