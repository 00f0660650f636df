import MultipeerWire
import Testing

@Suite("Parameters of a charter and INVITE's chain, SPEC §14.1, §8.2")
struct CharterParametersTests {
    static func charter(_ parameters: [UInt8]) -> (parameters: CharterParameters?, error: WireError?) {
        let bytes = counting(64) + vector(parameters)
        do throws(WireError) {
            return (try CharterParameters(try Charter(encoded: bytes.span)), nil)
        } catch {
            return (nil, error)
        }
    }

    @Test("The parameters with and without the fields")
    func values() {
        #expect(Self.charter([]).parameters == CharterParameters())
        #expect(CharterParameters().maximumMembers == 256 && CharterParameters().admitters == .everyMember)
        #expect(Self.charter(field(2, [0])).parameters?.admitters == .everyMember)
        #expect(Self.charter(field(2, [1])).parameters?.admitters == .founder)
        for maximum in [2, 63, 64, 256] as [UInt64] {
            #expect(Self.charter(field(4, varint(maximum))).parameters?.maximumMembers == Int(maximum))
        }
        let both = Self.charter(field(1, [9]) + field(2, [1]) + field(4, [9]) + field(5, []))
        #expect(both.parameters == CharterParameters(admitters: .founder, maximumMembers: 9))
        #expect(CharterParameters(admitters: .founder, maximumMembers: 9).fields.map(\.type) == [2, 4])
        #expect(CharterParameters().fields.isEmpty)
    }

    @Test("Whether a session may unite follows who admits, unless the charter says it (SPEC §14.1)")
    func uniting() {
        for (admitters, value) in [(CharterParameters.Admitters.everyMember, UInt8(1)), (.founder, 0)] {
            let admission = admitters == .founder ? field(2, [1]) : []
            #expect(Self.charter(admission).parameters?.isUniting == (value == 1))
            for said in [value, 1 - value] {
                #expect(Self.charter(admission + field(6, [said])).parameters?.isUniting == (said == 1))
            }
            // What the charter says anyway is not said again.
            #expect(!CharterParameters(admitters: admitters, uniting: value == 1).fields.contains { $0.type == 6 })
            let other = CharterParameters(admitters: admitters, uniting: value == 0)
            #expect(other.fields.last == Field(type: 6, value: [1 - value]))
        }
    }

    @Test("Each value is judged before the next type (R14.1-1, R18-1)")
    func faults() {
        for value in UInt8(2)...255 {
            #expect(Self.charter(field(2, [value])).error == WireError(.unknownCritical, in: .admission))
        }
        #expect(Self.charter(field(2)).error == WireError(.truncated, in: .admission))
        #expect(Self.charter(field(2, [2, 0])).error == WireError(.trailingBytes, in: .admission))
        for value in [0, 1, 257, VarInt.maximum] as [UInt64] {
            #expect(Self.charter(field(4, varint(value))).error == WireError(.valueOutOfRange, in: .maximumMembers))
        }
        #expect(Self.charter(field(4, [2, 2])).error == WireError(.trailingBytes, in: .maximumMembers))
        #expect(Self.charter(field(4, varint(2, length: 2))).error?.reason == .nonMinimalInteger)
        #expect(Self.charter(field(8)).error == WireError(.unknownCritical, in: .fieldType))
        #expect(Self.charter(field(2, [0, 0]) + field(8)).error == WireError(.trailingBytes, in: .admission))
        #expect(Self.charter(field(4, [9]) + field(2, [1])).error == WireError(.notAscending, in: .fieldType))
    }

    @Test("A chain belongs to kinds 0 and 2, which is judged after all fields; its value is not (R8.2-7)")
    func chains() {
        func invite(_ kind: UInt8, _ fields: [UInt8]) -> [UInt8] {
            InvitationRangeTests.invite(sessionKind: kind, tail: vector(fields))
        }
        let wrong = WireError(.valueOutOfRange, in: .admissions)
        for kind: UInt8 in [0, 2] {
            #expect(decoded(Invite.self, invite(kind, field(2)))?.chain == [])
            #expect(decoded(Invite.self, invite(kind, field(2, counting(768))))?.chain?.count == 8)
            #expect(refusal(Invite.self, invite(kind, [])) == wrong)
        }
        #expect(decoded(Invite.self, invite(1, []))?.chain == nil && refusal(Invite.self, invite(1, [])) == nil)
        #expect(refusal(Invite.self, invite(1, field(2))) == wrong)
        for (kind, count) in [(2, 1), (2, 95), (0, 97), (0, 864), (1, 95)] as [(UInt8, Int)] {
            // The value is judged where it is, before the next field and before whether it may be there (SPEC §3.4).
            let refused = refusal(Invite.self, invite(kind, field(2, counting(count)) + field(4)))
            #expect(refused == WireError(.lengthOutOfRange, in: .admissions))
        }
        #expect(refusal(Invite.self, invite(0, field(2) + field(4)))?.closeCode == .unsupported)
        #expect(refusal(Invite.self, invite(2, field(2, [1]) + field(4)))?.closeCode == .malformed)
        #expect(refusal(Invite.self, invite(3, field(2)))?.closeCode == .unsupported)
    }
}
