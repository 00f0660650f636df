import MultipeerWire

/// A name under which a peer's file may be stored (SPEC §15.5).
public enum SanitizedFileName {
    /// The most bytes of a local name.
    public static let maximumLength = 200
    /// The longest ending, full stop included, that survives shortening.
    static let maximumExtensionLength = 32

    /// Derives a local name from a peer's. Total, and idempotent: no input is refused, none leads out of a folder.
    public static func derive(from name: [UInt8]) -> String {
        let text = String(decoding: name, as: UTF8.self)
        var scalars = Array(text.unicodeScalars)
        if let separator = scalars.lastIndex(where: { $0 == "/" || $0 == "\\" }) {
            scalars.removeFirst(separator + 1)
        }
        return derive(from: scalars, replacing: reserved)
    }

    /// Derives a local name from one part of a path in a folder's manifest (R15.8-2). Two parts can get the same name.
    public static func derive(fromPart part: [UInt8]) -> String {
        derive(from: Array(String(decoding: part, as: UTF8.self).unicodeScalars), replacing: reservedInParts)
    }

    /// All steps but the first one.
    private static func derive(from scalars: [Unicode.Scalar], replacing reserved: Set<Unicode.Scalar>) -> String {
        var scalars = scalars
        scalars.removeAll { Utf8.isForbidden($0.value) }
        scalars = scalars.map { reserved.contains($0) ? "_" : $0 }
        trim(&scalars)
        // Twice: what is cut off may leave a device's name, and the `_` before that one may be a byte too many.
        for _ in 0..<2 {
            if isDeviceName(scalars) { scalars.insert("_", at: 0) }
            shorten(&scalars)
        }
        return scalars.isEmpty ? "file" : string(scalars[...])
    }

    private static let reserved: Set<Unicode.Scalar> = [":", "*", "?", "\"", "<", ">", "|"]
    /// A part has no `/`, and its `\` separates nothing.
    private static let reservedInParts = reserved.union(["\\", "/"])

    private static func isTrimmed(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "." }

    private static func trim(_ scalars: inout [Unicode.Scalar]) {
        guard let first = scalars.firstIndex(where: { !isTrimmed($0) }),
            let last = scalars.lastIndex(where: { !isTrimmed($0) })
        else {
            scalars = []
            return
        }
        scalars = Array(scalars[first...last])
    }

    private static func isDeviceName(_ scalars: [Unicode.Scalar]) -> Bool {
        var stem = Array(scalars.prefix { $0 != "." })
        while stem.last == " " { stem.removeLast() }
        let name = string(stem.map(asciiUppercased)[...])
        if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(name) { return true }
        guard stem.count == 4, name.hasPrefix("COM") || name.hasPrefix("LPT") else { return false }
        return deviceDigits.contains(stem[3])
    }

    private static let deviceDigits = Set("123456789\u{B9}\u{B2}\u{B3}".unicodeScalars)

    private static func asciiUppercased(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        ("a"..."z").contains(scalar) ? Unicode.Scalar(UInt8(scalar.value) - 32) : scalar
    }

    private static func shorten(_ scalars: inout [Unicode.Scalar]) {
        while length(scalars[...]) > maximumLength {
            if let stop = scalars.lastIndex(of: "."), stop > 0, length(scalars[stop...]) <= maximumExtensionLength {
                scalars.remove(at: stop - 1)
            } else {
                scalars.removeLast()
            }
        }
        while let last = scalars.last, isTrimmed(last) { scalars.removeLast() }
    }

    private static func length(_ scalars: ArraySlice<Unicode.Scalar>) -> Int {
        scalars.reduce(0) { $0 + UTF8.width($1) }
    }

    private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }
}
