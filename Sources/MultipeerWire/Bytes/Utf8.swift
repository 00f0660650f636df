/// UTF-8 as SPEC.md requires it. It does not use `String`, so it works in Embedded Swift.
public enum Utf8 {
    /// Returns whether `bytes` are well-formed UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
    public static func isWellFormed(_ bytes: Span<UInt8>) -> Bool {
        do {
            _ = try UTF8Span(validating: bytes)
            return true
        } catch {
            return false
        }
    }

    /// Returns whether well-formed `bytes` are a name as R4.2-1 wants it, whatever their length: they have something that can be seen, and
    /// no controls, line and paragraph separators, bidirectional controls that can disguise a name, or what nobody can see.
    public static func isName(_ bytes: Span<UInt8>) -> Bool {
        var index = 0
        var hasVisible = false
        while index < bytes.count {
            let (scalar, length) = scalar(bytes, at: index)
            guard !isForbidden(scalar) else { return false }
            hasVisible = hasVisible || !isBlank(scalar)
            index += length
        }
        return hasVisible
    }

    /// Returns whether SPEC §4.2 forbids this code point in names.
    public static func isForbidden(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x00...0x1F, 0x7F...0x9F, 0xAD, 0x061C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x2064,
            0x2066...0x2069, 0xFEFF, 0xE0000...0xE007F:
            true
        default: false
        }
    }

    /// Returns whether SPEC §4.2 calls this code point blank: it takes room, and shows nothing.
    public static func isBlank(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x20, 0xA0, 0x115F, 0x1160, 0x1680, 0x2000...0x200A, 0x202F, 0x205F, 0x2800, 0x3000, 0x3164, 0xFFA0: true
        default: false
        }
    }

    /// Returns the code point at `index` of well-formed `bytes`, and its length in bytes.
    static func scalar(_ bytes: Span<UInt8>, at index: Int) -> (UInt32, Int) {
        let first = UInt32(bytes[index])
        func next(_ distance: Int) -> UInt32 {
            index + distance < bytes.count ? UInt32(bytes[index + distance] & 0x3F) : 0
        }
        switch first {
        case 0x00...0x7F: return (first, 1)
        case 0x80...0xDF: return ((first & 0x1F) << 6 | next(1), 2)
        case 0xE0...0xEF: return ((first & 0x0F) << 12 | next(1) << 6 | next(2), 3)
        default: return ((first & 0x07) << 18 | next(1) << 12 | next(2) << 6 | next(3), 4)
        }
    }
}

extension Reader {
    /// Takes a vector that must be well-formed UTF-8, and copies it.
    @_lifetime(self: copy self)
    mutating func text(_ limits: ClosedRange<Int>, _ field: WireField) throws(WireError) -> [UInt8] {
        let bytes = try vector(limits, field)
        guard Utf8.isWellFormed(bytes) else { throw WireError(.illFormedText, in: field) }
        return [UInt8](copying: bytes)
    }
}
