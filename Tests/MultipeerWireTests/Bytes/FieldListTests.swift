import MultipeerWire
import Testing

@Suite("Field lists, SPEC §3.4")
struct FieldListTests {
    /// PEER_INFO, the simplest structure with a field list.
    static func peerInfo(_ fields: [UInt8]) -> [UInt8] { vector([0x61]) + varint(1) + [0] + vector(fields) }

    static func error(_ fields: [UInt8]) -> WireError? { refusal(PeerInfo.self, peerInfo(fields)) }

    @Test("Unknown odd fields are skipped, and kept for decoders that show them (R3.4-2)")
    func oddFields() throws {
        let list = field(1, [9]) + field(3) + field(31, counting(64)) + field(VarInt.maximum, counting(200))
        let info = try #require(decoded(PeerInfo.self, Self.peerInfo(list)))
        #expect(
            info.fields == [
                Field(type: 1, value: [9]), Field(type: 3, value: []), Field(type: 31, value: counting(64)),
                Field(type: VarInt.maximum, value: counting(200)),
            ])
        #expect(payload(of: info) == Self.peerInfo(list))
    }

    @Test("An unknown even field is unsupported (R3.4-3)", arguments: [0, 2, 64, 16_384, VarInt.maximum - 1])
    func evenFields(type: UInt64) {
        for list in [field(type), field(type, [1, 2])] {
            #expect(Self.error(list) == WireError(.unknownCritical, in: .fieldType))
            #expect(Self.error(list)?.closeCode == .unsupported)
        }
        guard type > 1 else { return }
        #expect(Self.error(field(1) + field(type)) == WireError(.unknownCritical, in: .fieldType))
    }

    @Test("Types that do not ascend are malformed, also even ones (R3.4-1)")
    func order() {
        let notAscending = WireError(.notAscending, in: .fieldType)
        #expect(Self.error(field(3) + field(3)) == notAscending)
        #expect(Self.error(field(5, [1]) + field(5, [2])) == notAscending)
        #expect(Self.error(field(5) + field(3)) == notAscending)
        #expect(Self.error(field(5) + field(2)) == notAscending)
        #expect(Self.error(field(1) + field(VarInt.maximum) + field(7)) == notAscending)
        #expect(notAscending.closeCode == .malformed)
    }

    @Test("The type is judged before the value (R18-1)")
    func typeFirst() {
        #expect(Self.error(varint(2) + varint(513)) == WireError(.unknownCritical, in: .fieldType))
        #expect(Self.error(field(3) + varint(3) + [0x80]) == WireError(.notAscending, in: .fieldType))
        #expect(Self.error(field(1) + varint(2)) == WireError(.unknownCritical, in: .fieldType))
    }

    @Test("Values of 0 to 4,096 bytes", arguments: [0, 1, 63, 64, 4_095, 4_096, 4_097])
    func valueLength(count: Int) {
        // ACCEPT has a list that is long enough.
        let error = refusal(Accept.self, [0, 0, 0] + vector(field(1, counting(count))))
        #expect(error == (count <= 4_096 ? nil : WireError(.lengthOutOfRange, in: .fieldValue)))
    }

    @Test("Lists of up to 1,024 bytes", arguments: [1_023, 1_024, 1_025])
    func listLength(count: Int) {
        let list = field(1, counting(512)) + field(3, counting(count - 515 - 3))
        #expect(list.count == count)
        #expect(Self.error(list) == (count <= 1_024 ? nil : WireError(.lengthOutOfRange, in: .fields)))
    }

    @Test("A list that ends inside a field (R3.3-1)")
    func insideAField() {
        let list = field(1, [5, 6]) + field(65, counting(70))
        let boundaries = [0, field(1, [5, 6]).count, list.count]
        for count in 0...list.count {
            let error = Self.error([UInt8](list[..<count]))
            #expect((error == nil) == boundaries.contains(count))
            if let error { #expect(error.closeCode == .malformed) }
        }
    }

    @Test("Non-minimal types and counts (R3.2-1)")
    func nonMinimal() {
        #expect(Self.error(varint(1, length: 2) + vector([])) == WireError(.nonMinimalInteger, in: .fieldType))
        #expect(Self.error(varint(1) + varint(0, length: 4)) == WireError(.nonMinimalInteger, in: .fieldValue))
    }

    @Test("Every extensible structure ends in a list with the same rules, and its own limit")
    func everyStructure() {
        let before: [(name: String, maximum: Int, bytes: [UInt8], refusal: ([UInt8]) -> WireError?)] = [
            ("INVITE", 8_192, counting(64) + [0, 1, 0, 0, 1, 0], { refusal(Invite.self, $0) }),
            ("a charter", 1_024, counting(64), { refusal(Invite.self, $0 + [1, 0, 0, 1, 0, 0]) }),
            ("ACCEPT", 8_192, [0, 0, 0], { refusal(Accept.self, $0) }),
            ("DECLINE", 1_024, [1, 0], { refusal(Decline.self, $0) }),
            ("CANCEL", 1_024, [1], { refusal(Cancel.self, $0) }),
            ("CERTIFICATES", 4_096, [0, 0, 0, 0], { refusal(Certificates.self, $0) }),
            ("READY", 1_024, [], { refusal(Ready.self, $0) }), ("REKEY", 1_024, [], { refusal(Rekey.self, $0) }),
            ("CLOSE", 1_024, [0], { refusal(Close.self, $0) }),
            ("FILE_OFFER", 1_024, [UInt8](repeating: 0, count: 21) + [1, 0x61], { refusal(FileOffer.self, $0) }),
            ("FILE_ACCEPT", 1_024, [0, 0] + counting(32) + [0], { refusal(FileAccept.self, $0) }),
            ("FILE_CANCEL", 1_024, [0, 2], { refusal(FileCancel.self, $0) }),
            ("FILE_END", 1_024, [0] + counting(32), { refusal(FileEnd.self, $0) }),
            ("FILE_DONE", 1_024, [0], { refusal(FileDone.self, $0) }),
            ("STREAM_OPEN", 1_024, [0, 0, 0], { refusal(StreamOpen.self, $0) }),
            ("STREAM_END", 1_024, [0, 0], { refusal(StreamEnd.self, $0) }),
            ("STREAM_RESET", 1_024, [0, 0], { refusal(StreamReset.self, $0) }),
            ("STREAM_STOP", 1_024, [0, 0], { refusal(StreamStop.self, $0) }),
            ("ADMIT", 1_024, [0], { refusal(Admit.self, $0) }),
            ("DIGEST", 1_024, counting(32), { refusal(DigestFrame.self, $0) }),
            ("SUMMARY", 1_024, [0], { refusal(Summary.self, $0) }),
            ("WANT", 1_024, vector(counting(32)), { refusal(Want.self, $0) }),
            ("UNITE", 1_024, counting(64) + [0, 0, 0], { refusal(Unite.self, $0) }),
            ("ENTER", 1_024, counting(32), { refusal(Enter.self, $0) }),
        ]
        for (name, maximum, bytes, refusal) in before {
            let full = field(1, counting(min(maximum, 4_099) - 3))
            let rest = maximum - full.count > 0 ? field(3, counting(maximum - full.count - 3)) : []
            #expect(full.count + rest.count == maximum && refusal(bytes + vector(full + rest)) == nil, "\(name)")
            #expect(refusal(bytes) != nil, "\(name)")
            #expect(refusal(bytes + vector(field(1, [2]) + field(3))) == nil, "\(name)")
            #expect(refusal(bytes + vector(field(8))) == WireError(.unknownCritical, in: .fieldType), "\(name)")
            #expect(refusal(bytes + vector(field(3) + field(3))) == WireError(.notAscending, in: .fieldType), "\(name)")
            let isCharter = name == "a charter"
            #expect(
                refusal(bytes + vector(counting(maximum + 1)))
                    == WireError(.lengthOutOfRange, in: isCharter ? .parameters : .fields), "\(name)")
        }
    }
}
