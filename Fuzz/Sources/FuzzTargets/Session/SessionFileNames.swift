import FuzzSupport

/// Names and sizes that apps offer.
enum SessionFileNames {
    static let sizes: [UInt64] = [0, 1, 17, 300, 65_280, 65_281, 70_000, 1 << 53 - 1, 1 << 53, 4_000]
    static let all = [
        "a.txt", "../../etc/passwd", "con.", "a\u{202E}b", "x\u{0}y", String(repeating: "é", count: 127), "..", " .",
        "", String(repeating: "n", count: 256), "C:\\aux", "/",
    ]

    /// What no local name may be (SPEC §15.5), whatever the peer's name was.
    static func check(_ name: String) throws(OracleFailure) {
        try require((1...255).contains(name.utf8.count), "a local name of \(name.utf8.count) bytes")
        try require(name != "." && name != "..", "a local name that is a folder")
        for scalar in name.unicodeScalars {
            let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            let isHiding =
                (0x2028...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
                || (0x200B...0x200F).contains(scalar.value) || (0x2060...0x2064).contains(scalar.value)
                || (0xE0000...0xE007F).contains(scalar.value) || [0xAD, 0x61C, 0xFEFF].contains(scalar.value)
            try require(
                !isControl && !isHiding && scalar != "/", "a name with \(scalar)")
        }
    }
}
