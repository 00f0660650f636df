import MultipeerWire
import Testing

@Suite("Error registry, SPEC §18")
struct CloseCodeTests {
    /// The table of SPEC §18.
    static let table: [(code: UInt64, name: String)] = [
        (0x00, "no_error"), (0x01, "malformed"), (0x02, "unexpected_record"), (0x03, "unexpected_frame"),
        (0x04, "unsupported"), (0x05, "limit_exceeded"), (0x06, "decrypt_failed"), (0x07, "wrong_protection"),
        (0x08, "illegal_choice"), (0x09, "handshake_failed"), (0x0A, "proof_invalid"), (0x0B, "unexpected_identity"),
        (0x0C, "own_identity"), (0x0D, "handshake_timeout"), (0x0E, "invitation_timeout"), (0x0F, "policy_violation"),
        (0x10, "certificate_required"), (0x11, "certificate_rejected"), (0x12, "certificate_expired"),
        (0x13, "unknown_authority"), (0x14, "binding_invalid"), (0x15, "verdict_timeout"), (0x20, "shutting_down"),
        (0x21, "duplicate_link"), (0x22, "internal"), (0x23, "moved"),
        (0x24, "credit_exceeded"), (0x25, "silent"), (0x26, "entry_invalid"), (0x27, "code_wrong"),
        (0x28, "code_unavailable"), (0x29, "commitment_invalid"), (0x2A, "strings_differ"),
    ]

    @Test("Codes and names")
    func registry() {
        #expect(CloseCode.registry.map(\.code.rawValue) == Self.table.map(\.code))
        #expect(CloseCode.registry.map { $0.name.description } == Self.table.map(\.name))
    }

    @Test("Any code is a value (R16.1-4)", arguments: [0x16, 0x2B, 0x40, 0x3FFF, 0x4000, VarInt.maximum])
    func unknownCodes(code: UInt64) {
        #expect(decoded(Close.self, varint(code) + [0])?.code == CloseCode(rawValue: code))
        #expect(Close(code: CloseCode(rawValue: code)).encoded() == frame(0, varint(code) + [0]))
    }

    @Test("Only unknown critical elements are unsupported; all else that does not decode is malformed (SPEC §3.5)")
    func mapping() {
        let malformed: [WireError.Reason] = [
            .truncated, .nonMinimalInteger, .lengthOutOfRange, .trailingBytes, .valueOutOfRange, .notAscending,
            .illFormedText,
        ]
        for reason in malformed { #expect(WireError(reason, in: .fields).closeCode == .malformed) }
        #expect(WireError(.unknownCritical, in: .fields).closeCode == .unsupported)
    }
}
