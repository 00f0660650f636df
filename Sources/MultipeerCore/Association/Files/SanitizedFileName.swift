import MultipeerWire

/// The names under which a peer's file may be stored (SPEC §15.5).
///
/// The *local* name keeps what any disk of this system can hold, and changes only what is dangerous. The *portable* name is for a disk that
/// does not hold the local one.
public enum SanitizedFileName {
    /// The most bytes of a local name whose original has at most 255.
    public static let maximumLength = 255
    /// The most bytes of a portable name.
    public static let maximumPortableLength = 200
    /// The longest ending, full stop included, that survives shortening.
    static let maximumExtensionLength = 32
    /// The name where nothing else is left.
    static let fallback = "file"

    /// Derives the local name from a peer's (steps 1 to 3). Total, and idempotent: no input is refused, none leads out of a folder.
    public static func derive(from name: [UInt8]) -> String {
        var scalars = Array(String(decoding: name, as: UTF8.self).unicodeScalars)
        if let separator = scalars.lastIndex(of: "/") { scalars.removeFirst(separator + 1) }
        return local(scalars)
    }

    /// Derives the local name of one part of a path in a folder's manifest (R15.8-2). Two parts can get the same name.
    public static func derive(fromPart part: [UInt8]) -> String {
        // A part of a path has no `/`.
        local(String(decoding: part, as: UTF8.self).unicodeScalars.map { $0 == "/" ? "_" : $0 })
    }

    /// Derives the portable name from a local one (steps 4 to 10). Total, and idempotent.
    public static func portable(_ local: String) -> String {
        var scalars = Array(local.unicodeScalars)
        if let separator = scalars.lastIndex(of: "\\") { scalars.removeFirst(separator + 1) }
        return portable(scalars, replacing: reserved)
    }

    /// Derives the portable name from the local one of a part (R15.8-2): a `\` in it separates nothing.
    public static func portable(part local: String) -> String {
        portable(Array(local.unicodeScalars), replacing: reservedInParts)
    }

    /// The local name for a file or folder whose name was reported to nobody (R15.5-3): nothing hides what is called
    /// so.
    public static func visible(_ local: String) -> String {
        guard local.unicodeScalars.first == "." else { return local }
        let rest = local.unicodeScalars.drop(while: isTrimmed)
        return rest.isEmpty ? fallback : String(rest)
    }

    private static func local(_ scalars: [Unicode.Scalar]) -> String {
        let kept = scalars.filter { !Utf8.isForbidden($0.value) }
        let name = string(kept[...])
        return kept.allSatisfy { $0 == " " } || name == "." || name == ".." ? fallback : name
    }

    private static func portable(_ scalars: [Unicode.Scalar], replacing reserved: Set<Unicode.Scalar>) -> String {
        var scalars = scalars.map { reserved.contains($0) ? "_" : $0 }
        trim(&scalars)
        // Twice: what is cut off may leave a device's name, and the `_` before that one may be a byte too many.
        for _ in 0..<2 {
            if isDeviceName(scalars) { scalars.insert("_", at: 0) }
            shorten(&scalars)
        }
        return scalars.isEmpty ? fallback : string(scalars[...])
    }

    private static let reserved: Set<Unicode.Scalar> = [":", "*", "?", "\"", "<", ">", "|"]
    private static let reservedInParts = reserved.union(["\\"])

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
        while length(scalars[...]) > maximumPortableLength {
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
