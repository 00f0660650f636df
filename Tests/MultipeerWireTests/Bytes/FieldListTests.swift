import MultipeerWire
import Testing

@Suite("Field lists, SPEC §3.4")
struct FieldListTests {
    /// PEER_INFO, the simplest structure with a field list.
    static func peerInfo(_ fields: [UInt8]) -> [UInt8] { vector([0x61]) + varint(1) + vector(fields) }

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

    @Test("Values of 0 to 512 bytes", arguments: [0, 1, 63, 64, 511, 512, 513])
    func valueLength(count: Int) {
        let error = Self.error(field(1, counting(count)))
        #expect(error == (count <= 512 ? nil : WireError(.lengthOutOfRange, in: .fieldValue)))
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

    @Test("Every list of INVITE, ACCEPT and FILE_OFFER follows the same rules")
    func everyStructure() {
        let before: [(name: String, bytes: [UInt8], refusal: ([UInt8]) -> WireError?)] = [
            ("INVITE", counting(16) + [0, 0] + varint(1) + vector([]), { refusal(Invite.self, $0) }),
            ("ACCEPT", [0, 0, 0], { refusal(Accept.self, $0) }),
            ("FILE_OFFER", varint(0) + varint(0) + vector([0x61]), { refusal(FileOffer.self, $0) }),
        ]
        for (name, bytes, refusal) in before {
            #expect(refusal(bytes + vector(field(1, [2]) + field(3))) == nil, "\(name)")
            #expect(refusal(bytes + vector(field(2))) == WireError(.unknownCritical, in: .fieldType), "\(name)")
            #expect(refusal(bytes + vector(field(3) + field(3))) == WireError(.notAscending, in: .fieldType), "\(name)")
            #expect(refusal(bytes + vector(counting(1_025))) == WireError(.lengthOutOfRange, in: .fields), "\(name)")
        }
    }
}
