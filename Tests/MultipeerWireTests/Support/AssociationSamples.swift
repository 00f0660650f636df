import MultipeerWire

let fileSamples: [FrameSample] = [
    FrameSample(
        name: "FILE_OFFER",
        frame: FileOffer(id: 0, size: 0, tag: counting(16), modified: 70, name: Array("a.txt".utf8)),
        payload: [0, 0] + counting(16) + [0, 0x40, 70, 0] + vector(Array("a.txt".utf8)) + [0]),
    FrameSample(
        name: "FILE_OFFER at its edges",
        frame: FileOffer(
            id: VarInt.maximum, size: 9_007_199_254_740_991, kind: .folder, modified: VarInt.maximum,
            manifest: 4_194_304, name: [UInt8](repeating: 0x2F, count: 255), fields: [Field(type: 3, value: [4])]),
        payload: varint(VarInt.maximum) + varint(9_007_199_254_740_991) + [UInt8](repeating: 0, count: 16) + [2]
            + varint(VarInt.maximum) + varint(4_194_304) + vector([UInt8](repeating: 0x2F, count: 255))
            + vector(field(3, [4]))),
    FrameSample(
        name: "FILE_ACCEPT", frame: FileAccept(id: 64, offset: 9, digest: counting(32), credit: 70),
        payload: [0x40, 0x40, 9] + counting(32) + [0x40, 70, 0]),
    FrameSample(
        name: "FILE_ACCEPT at its edges",
        frame: FileAccept(
            id: VarInt.maximum, offset: 1 << 61, digest: counting(32), credit: (1 << 61) - 1,
            fields: [Field(type: 1, value: [])]),
        payload: varint(VarInt.maximum) + varint(1 << 61) + counting(32) + varint((1 << 61) - 1) + vector(field(1))),
    FrameSample(name: "FILE_DONE", frame: FileDone(id: 16_384), payload: varint(16_384) + [0]),
    FrameSample(
        name: "FILE_END", frame: FileEnd(id: 1, digest: counting(32)), payload: [1] + counting(32) + [0]),
    FrameSample(
        name: "FILE_CANCEL", frame: FileCancel(id: 3, reason: .sourceFailed), payload: [3, 4, 0]),
    FrameSample(
        name: "FILE_CANCEL of two bytes", frame: FileCancel(id: 70, reason: .stalled), payload: [0x40, 70, 13, 0]),
]

let flowSamples: [FrameSample] = [
    FrameSample(name: "PING", frame: Ping(data: counting(8)), payload: counting(8)),
    FrameSample(name: "PONG", frame: Pong(data: counting(8, from: 3)), payload: counting(8, from: 3)),
    FrameSample(
        name: "CREDIT of messages", frame: Credit(kind: .messages, limit: 524_288), payload: [0, 0] + varint(524_288)),
    FrameSample(name: "CREDIT of openings", frame: Credit(kind: .openings, limit: 40), payload: [1, 0, 40]),
    FrameSample(name: "CREDIT of offers", frame: Credit(kind: .offers, limit: 40), payload: [2, 0, 40]),
    FrameSample(
        name: "CREDIT of a stream", frame: Credit(kind: .stream, id: 70, limit: 65_536),
        payload: [3, 0x40, 70] + varint(65_536)),
    FrameSample(
        name: "CREDIT of a file, largest", frame: Credit(kind: .file, id: VarInt.maximum, limit: VarInt.maximum),
        payload: [4] + varint(VarInt.maximum) + varint(VarInt.maximum)),
    FrameSample(name: "ACK", frame: Ack(count: 1), payload: [1]),
    FrameSample(name: "ACK, largest", frame: Ack(count: VarInt.maximum), payload: varint(VarInt.maximum)),
    FrameSample(
        name: "RESUME", frame: Resume(association: counting(16, from: 1), epoch: 0, received: 70, files: []),
        payload: counting(16, from: 1) + [0, 0x40, 70, 0, 0] + [UInt8](repeating: 0, count: 32)),
    FrameSample(
        name: "RESUME with files and a field",
        frame: Resume(
            association: counting(16, from: 1), epoch: VarInt.maximum, received: VarInt.maximum,
            files: [FilePosition(id: 1, offset: 0), FilePosition(id: 70, offset: VarInt.maximum)],
            fields: [Field(type: 7, value: [1])]),
        payload: counting(16, from: 1) + varint(VarInt.maximum) + varint(VarInt.maximum)
            + vector([1, 0, 0x40, 70] + varint(VarInt.maximum)) + vector([7, 1, 1]) + [UInt8](repeating: 0, count: 32)),
    FrameSample(
        name: "RESUMED", frame: Resumed(received: 3, files: [FilePosition(id: 2, offset: 5)]),
        payload: [3, 2, 2, 5, 0] + [UInt8](repeating: 0, count: 32)),
]

let streamSamples: [FrameSample] = [
    FrameSample(
        name: "STREAM_OPEN", frame: StreamOpen(id: 0, credit: 32_768, name: Array("log".utf8)),
        payload: [0] + varint(32_768) + vector(Array("log".utf8)) + [0]),
    FrameSample(
        name: "STREAM_OPEN at its edges",
        frame: StreamOpen(
            id: VarInt.maximum, credit: VarInt.maximum, name: [UInt8](repeating: 0x61, count: 255),
            fields: [Field(type: 7, value: [1])]),
        payload: varint(VarInt.maximum) + varint(VarInt.maximum) + vector([UInt8](repeating: 0x61, count: 255))
            + vector(field(7, [1]))),
    FrameSample(
        name: "STREAM_OPEN without a name", frame: StreamOpen(id: 1, credit: 0, name: []), payload: [1, 0, 0, 0]),
    FrameSample(name: "STREAM_END", frame: StreamEnd(id: 3, size: 70), payload: [3, 0x40, 70, 0]),
    FrameSample(name: "STREAM_RESET", frame: StreamReset(id: 3, code: 64), payload: [3, 0x40, 64, 0]),
    FrameSample(
        name: "STREAM_STOP", frame: StreamStop(id: 2, code: 1, fields: [Field(type: 1, value: [])]),
        payload: [2, 1] + vector(field(1))),
]

let sampleAdmission = Admission(admitter: counting(32, from: 9), signature: counting(64, from: 3))

/// An entry and its bytes.
func sampleEntry(
    _ member: UInt8, instance: UInt64 = 1 << 40, sequence: UInt64 = 70, chain: [Admission] = [sampleAdmission]
) -> (entry: RosterEntry, bytes: [UInt8]) {
    let key = [member] + counting(31)
    let content = RosterEntry.Content(
        member: key, instance: instance, sequence: sequence, name: Array("Zoë".utf8),
        addresses: [
            MemberAddress(kind: 1, value: [10, 0, 0, 1, 0x12, 0x67]), MemberAddress(kind: 2, value: counting(18)),
            MemberAddress(kind: 9, value: []),
        ],
        chain: chain, fields: [Field(type: 5, value: [1])])
    let addresses = [1] + vector([10, 0, 0, 1, 0x12, 0x67]) + [2] + vector(counting(18)) + [9, 0]
    let bytes =
        key + varint(instance) + varint(sequence) + [1] + vector(Array("Zoë".utf8)) + vector(addresses)
        + vector(chain.flatMap { $0.admitter + $0.signature }) + vector(field(5, [1])) + counting(64, from: 40)
    return (RosterEntry(content, signature: counting(64, from: 40)), bytes)
}

let sessionSamples: [FrameSample] = [
    FrameSample(name: "ADMIT of the founder", frame: Admit(chain: []), payload: [0, 0]),
    FrameSample(
        name: "ADMIT of eight", frame: Admit(chain: [Admission](repeating: sampleAdmission, count: 8)),
        payload: vector((0..<8).flatMap { _ in counting(32, from: 9) + counting(64, from: 3) }) + [0]),
    FrameSample(
        name: "ROSTER of one", frame: RosterFrame(entries: [sampleEntry(1).entry]),
        payload: vector(sampleEntry(1).bytes)),
    FrameSample(
        name: "ROSTER of three",
        frame: RosterFrame(entries: [sampleEntry(1, chain: []).entry, sampleEntry(2).entry, sampleEntry(3).entry]),
        payload: vector(sampleEntry(1, chain: []).bytes + sampleEntry(2).bytes + sampleEntry(3).bytes)),
    FrameSample(name: "DIGEST", frame: DigestFrame(digest: counting(32)), payload: counting(32) + [0]),
    FrameSample(name: "SUMMARY of nothing", frame: Summary(items: []), payload: [0, 0]),
    FrameSample(
        name: "SUMMARY of two",
        frame: Summary(items: [
            Summary.Item(member: counting(32), instance: 1 << 40, sequence: 1, entryHash: counting(32, from: 7)),
            Summary.Item(member: counting(32, from: 1), instance: 0, sequence: 70, entryHash: counting(32)),
        ]),
        payload: vector(
            counting(32) + varint(1 << 40) + [1] + counting(32, from: 7) + counting(32, from: 1) + [0, 0x40, 70]
                + counting(32)) + [0]),
    FrameSample(
        name: "WANT", frame: Want(members: [counting(32), counting(32, from: 1)]),
        payload: vector(counting(32) + counting(32, from: 1)) + [0]),
]
