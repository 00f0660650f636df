import MultipeerScriptedPeer
import MultipeerWire

/// Names.
enum Section4 {
    private static func bad(_ topic: String, _ title: String, _ name: [UInt8]) -> ConformanceCase {
        .poke(
            "4.2-name-\(topic)", "A display name \(title)", "R4.2-1", at: .proved, .malformed,
            WireBytes.peerInfo(name: name))
    }

    private static func good(_ topic: String, _ title: String, _ name: [UInt8]) -> ConformanceCase {
        .pass("4.2-name-\(topic)", "A display name \(title)", "R4.2-1", at: .proved, WireBytes.peerInfo(name: name))
    }

    static let cases: [ConformanceCase] = [
        bad("too-long", "of 64 bytes", [UInt8](repeating: 0x61, count: 64)),
        bad("overlong", "with an overlong form of UTF-8", [0xC0, 0x80]),
        bad("surrogate", "with half a surrogate pair", [0xED, 0xA0, 0x80]),
        bad("truncated", "that ends within a character", [0x61, 0xE2, 0x82]),
        bad("c1-control", "with a control character of two bytes", [0xC2, 0x85]),
        bad("isolate", "with an isolate of the writing direction", Array("a\u{2066}".utf8)),
        bad("invisible", "with a character that cannot be seen", Array("Be\u{200B}n".utf8)),
        bad("tag", "with a tag character", Array("Ben\u{E0041}".utf8)),
        bad("blank", "of blanks", Array(" \u{A0}\u{3000}".utf8)),
        good("empty", "of no bytes, which is no name", []),
        good("longest", "of 63 bytes", [UInt8](repeating: 0x61, count: 63)),
        good("unicode", "of other scripts", Array("名前 é \u{1F980}".utf8)),
        good(
            "edges", "with the neighbours of forbidden code points",
            Array("~\u{A0}\u{AE}\u{200A}\u{2010}\u{2027}\u{202F}\u{205F}\u{2065}\u{206A}\u{FEFE}".utf8)),
    ]
}
