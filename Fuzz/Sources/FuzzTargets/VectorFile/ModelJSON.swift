/// The grammar of RFC 8259, read by the plainest code: whether a text is JSON, whatever its numbers and keys are.
///
/// Foundation is no judge of that: it also takes a comma before a closing bracket.
struct ModelJSON {
    private var rest: ArraySlice<UInt8>

    static func accepts(_ text: [UInt8]) -> Bool {
        var model = ModelJSON(rest: text[...])
        guard model.value() else { return false }
        model.space()
        return model.rest.isEmpty
    }

    private mutating func space() {
        while let byte = rest.first, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { rest.removeFirst() }
    }

    private mutating func take(_ text: String) -> Bool {
        guard rest.starts(with: Array(text.utf8)) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }

    private mutating func value() -> Bool {
        space()
        if take("true") || take("false") || take("null") { return true }
        switch rest.first {
        case UInt8(ascii: "\""): return string()
        case UInt8(ascii: "["): return list("[", "]") { $0.value() }
        case UInt8(ascii: "{"):
            return list("{", "}") { model in
                model.space()
                guard model.string() else { return false }
                model.space()
                return model.take(":") && model.value()
            }
        default: return number()
        }
    }

    private mutating func list(_ open: String, _ close: String, _ element: (inout ModelJSON) -> Bool) -> Bool {
        guard take(open) else { return false }
        space()
        if take(close) { return true }
        repeat {
            guard element(&self) else { return false }
            space()
        } while take(",")
        return take(close)
    }

    /// `[ minus ] int [ frac ] [ exp ]`
    private mutating func number() -> Bool {
        _ = take("-")
        if !take("0") { guard digits() else { return false } }
        if take(".") { guard digits() else { return false } }
        guard take("e") || take("E") else { return true }
        if !take("+") { _ = take("-") }
        return digits()
    }

    private mutating func digits() -> Bool {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        rest = rest.dropFirst(digits.count)
        return !digits.isEmpty
    }

    /// Code points of UTF-8; an escaped surrogate is in a pair (RFC 8259 §8.2 leaves others open, and we refuse them).
    private mutating func string() -> Bool {
        guard take("\"") else { return false }
        var plain: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return ModelText.scalars(plain) != nil
            case UInt8(ascii: "\\"):
                // What is escaped ends whatever code point is incomplete before it.
                plain.append(0x5C)
                guard escape() else { return false }
            case 0..<0x20: return false
            default: plain.append(byte)
            }
        }
        return false
    }

    private mutating func escape() -> Bool {
        guard let byte = rest.popFirst() else { return false }
        guard byte == UInt8(ascii: "u") else { return Array("\"\\/bfnrt".utf8).contains(byte) }
        guard let unit = unit(), !(0xDC00..<0xE000).contains(unit) else { return false }
        guard unit >= 0xD800, unit < 0xE000 else { return true }
        guard take("\\u"), let low = self.unit() else { return false }
        return (0xDC00..<0xE000).contains(low)
    }

    private mutating func unit() -> Int? {
        let digits = rest.prefix(4).map { $0 | 0x20 }
        guard digits.count == 4, rest.prefix(4).allSatisfy({ $0 >= 0x30 }) else { return nil }
        rest = rest.dropFirst(4)
        return digits.reduce(Optional(0)) { value, digit in
            // Set bit 5 makes letters small and leaves the figures 0x30–0x39 as they are.
            Array("0123456789abcdef".utf8).firstIndex(of: digit).flatMap { index in value.map { $0 * 16 + index } }
        }
    }
}
