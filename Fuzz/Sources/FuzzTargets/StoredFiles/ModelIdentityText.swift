/// The identity file as docs/formats.md describes it, by the plainest code.
struct ModelIdentityText {
    let name: [UInt8]
    let seed: [UInt8]

    /// Nil for anything but a text of version 1.
    init?(_ text: [UInt8]) {
        guard text.count <= 256, text.last == 0x0A else { return nil }
        let lines = text.dropLast().split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
        guard lines.count == 3, lines[0] == Array("multipeer-identity 1".utf8),
            let name = ModelText.value(of: lines[1], behind: "name "), ModelText.isDisplayName(name),
            let digits = ModelText.value(of: lines[2], behind: "seed "),
            let seed = ModelText.bytes(ofLowercase: digits), seed.count == 32
        else { return nil }
        self.name = name
        self.seed = seed
    }
}

/// What several models need.
enum ModelText {
    static func value(of line: [UInt8], behind prefix: String) -> [UInt8]? {
        line.starts(with: Array(prefix.utf8)) ? Array(line.dropFirst(prefix.utf8.count)) : nil
    }

    /// SPEC §4.2: 1 to 63 bytes of well-formed UTF-8, without the code points of R4.2-1.
    static func isDisplayName(_ bytes: [UInt8]) -> Bool {
        guard (1...63).contains(bytes.count), let scalars = scalars(bytes) else { return false }
        return !scalars.contains(where: isForbidden) && !scalars.allSatisfy(isBlank)
    }

    /// R4.2-1
    private static func isBlank(_ scalar: UInt32) -> Bool {
        (0x2000...0x200A).contains(scalar)
            || [0x20, 0xA0, 0x115F, 0x1160, 0x1680, 0x202F, 0x205F, 0x2800, 0x3000, 0x3164, 0xFFA0].contains(scalar)
    }

    /// R4.2-1
    static func isForbidden(_ scalar: UInt32) -> Bool {
        scalar <= 0x1F || (0x7F...0x9F).contains(scalar) || (0x2028...0x202E).contains(scalar)
            || (0x2066...0x2069).contains(scalar) || (0x200B...0x200F).contains(scalar)
            || (0x2060...0x2064).contains(scalar) || (0xE0000...0xE007F).contains(scalar)
            || [0xAD, 0x61C, 0xFEFF].contains(scalar)
    }

    /// The code points of well-formed UTF-8 (Unicode 15.1, table 3-7), by hand; nil for anything else.
    static func scalars(_ bytes: [UInt8]) -> [UInt32]? {
        var scalars: [UInt32] = []
        var rest = bytes[...]
        while let first = rest.popFirst() {
            let (length, least): (Int, UInt32) =
                first < 0x80
                ? (0, 0)
                : first < 0xC0
                    ? (-1, 0)
                    : first < 0xE0
                        ? (1, 0x80)
                        : first < 0xF0 ? (2, 0x800) : first < 0xF8 ? (3, 0x1_0000) : (-1, 0)
            guard length >= 0, rest.count >= length else { return nil }
            var scalar = length == 0 ? UInt32(first) : UInt32(first) & (0x3F >> UInt32(length))
            for byte in rest.prefix(length) {
                guard byte & 0xC0 == 0x80 else { return nil }
                scalar = scalar << 6 | UInt32(byte & 0x3F)
            }
            rest = rest.dropFirst(length)
            guard scalar >= least, scalar <= 0x10_FFFF, !(0xD800...0xDFFF).contains(scalar) else { return nil }
            scalars.append(scalar)
        }
        return scalars
    }

    static func bytes(ofLowercase digits: [UInt8]) -> [UInt8]? {
        let alphabet = Array("0123456789abcdef".utf8)
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = alphabet.firstIndex(of: digits[index]),
                let low = alphabet.firstIndex(of: digits[index + 1])
            else { return nil }
            bytes.append(UInt8(high * 16 + low))
        }
        return bytes
    }
}
