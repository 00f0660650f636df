import MultipeerScriptedPeer
import MultipeerWire

/// Presentation language.
enum Section3 {
    static let cases: [ConformanceCase] = [
        .poke(
            "3.2-long-type", "A frame type in a longer form than it needs", "R3.2-1", at: .identified, .malformed,
            [0x40, 0x01, 0x00]),
        .poke(
            "3.2-long-length", "A frame length in a longer form than it needs", "R3.2-1", at: .identified, .malformed,
            [0x01, 0x40, 0x01, 0x00]),
        .poke(
            "3.2-long-value", "CLOSE with a code in a longer form than it needs", "R3.2-1", at: .identified, .malformed,
            WireBytes.frame(.close, [0x40, 0x00])),
        .poke(
            "3.3-vector-exceeds", "A display name that claims more bytes than its frame has", "R3.3-1", at: .proved,
            .malformed
        ) { _ in WireBytes.frame(.peerInfo, [0x20] + Array("short".utf8)) },
        .poke("3.3-truncated", "PEER_INFO without its field list", "R3.3-1", at: .proved, .malformed) { _ in
            WireBytes.frame(.peerInfo, WireBytes.vector(Array("Eve".utf8)) + WireBytes.varint(1_000))
        },
        .poke("3.4-fields-descending", "A field list out of order", "R3.4-1", at: .proved, .malformed) { _ in
            WireBytes.peerInfo(fields: WireBytes.fields([(0x4F03, []), (0x4F01, [])]))
        },
        .poke("3.4-field-too-long", "A field list of 1,025 bytes", "R3.3-1", at: .proved, .malformed) { _ in
            WireBytes.peerInfo(fields: WireBytes.fields([(0x4F01, [UInt8](repeating: 0, count: 1_019))]))
        },
        .pass("3.4-odd-field", "Unknown fields of odd type, GREASE among them", "R3.4-2", at: .proved) { _ in
            WireBytes.peerInfo(fields: WireBytes.fields([(0x1F, [1]), (0x4F01, [UInt8](repeating: 7, count: 900))]))
        },
    ]
}
