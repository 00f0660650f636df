import MultipeerWire
import Testing

@Suite("GREASE, SPEC §7.4")
struct GreaseTests {
    /// The sixteen values, written out.
    static let values: [UInt16] = [
        0x0A0A, 0x1A1A, 0x2A2A, 0x3A3A, 0x4A4A, 0x5A5A, 0x6A6A, 0x7A7A, 0x8A8A, 0x9A9A, 0xAAAA, 0xBABA, 0xCACA, 0xDADA,
        0xEAEA, 0xFAFA,
    ]

    @Test("Exactly sixteen of 65,536 values are GREASE")
    func predicate() {
        #expect((UInt16.min...UInt16.max).filter(Grease.contains) == Self.values)
    }

    @Test("Any index gives one of them, and sixteen give all")
    func generator() {
        #expect((0..<16).map { Grease.value($0) } == Self.values)
        #expect((UInt8.min...UInt8.max).allSatisfy { Grease.value($0) == Self.values[Int($0 % 16)] })
    }

    @Test("No registered version or suite is GREASE, and the registry is that of §7.2")
    func registry() {
        #expect(ProtocolVersion.allCases.map(\.rawValue) == [0xFF04])
        #expect(MultipeerWire.Suite.allCases.map(\.rawValue) == [0x0001, 0x0002, 0x0003, 0x0004])
        #expect(MultipeerWire.Suite.chaChaPoly.rawValue == 0x0001)
        #expect(MultipeerWire.Suite.aesGCM.rawValue == 0x0002)
        #expect(!MultipeerWire.Suite.allCases.contains { Grease.contains($0.rawValue) })
        #expect(MultipeerWire.Suite(rawValue: 0x0000) == nil)
        #expect(MultipeerWire.Suite(rawValue: 0x0005) == nil)
        #expect(ProtocolVersion(rawValue: 0x0000) == nil)
    }

    @Test("No registered frame type is reserved for GREASE, t mod 32 = 31")
    func frameTypes() {
        #expect(!FrameType.allCases.contains { $0.rawValue % 32 == 31 })
    }
}
