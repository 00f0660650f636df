/// SPEC §15.5 step by step.
enum ModelFileName {
    /// Steps 1 to 3
    static func local(_ name: [UInt32]) -> String {
        let path = name.compactMap(Unicode.Scalar.init).split(omittingEmptySubsequences: false) { $0 == "/" }
        var scalars = path.last.map(Array.init) ?? []
        scalars.removeAll { ModelText.isForbidden($0.value) }
        let isNothing = scalars.drop { $0 == " " }.isEmpty
        return isNothing || scalars == ["."] || scalars == [".", "."] ? "file" : text(scalars)
    }

    /// R15.5-3
    static func visible(_ local: String) -> String {
        var scalars = Array(local.unicodeScalars)
        guard scalars.first == "." else { return local }
        while let first = scalars.first, isEdge(first) { scalars.removeFirst() }
        return scalars.isEmpty ? "file" : text(scalars)
    }

    /// Steps 4 to 10
    static func portable(_ local: String) -> String {
        let path = Array(local.unicodeScalars).split(omittingEmptySubsequences: false) { $0 == "\\" }
        var scalars = path.last.map(Array.init) ?? []
        scalars = scalars.map { ":*?\"<>|".unicodeScalars.contains($0) ? "_" : $0 }
        while let first = scalars.first, isEdge(first) { scalars.removeFirst() }
        trimEnd(&scalars)
        for _ in 0..<2 {
            if isDeviceName(scalars) { scalars = ["_"] + scalars }
            while length(scalars) > 200 { removeOne(&scalars) }
            trimEnd(&scalars)
        }
        return scalars.isEmpty ? "file" : text(scalars)
    }

    /// Step 7
    static func isDeviceName(_ scalars: [Unicode.Scalar]) -> Bool {
        var stem = Array(scalars.prefix { $0 != "." })
        while stem.last == " " { stem.removeLast() }
        let upper = stem.map { (0x61...0x7A).contains($0.value) ? $0.value - 0x20 : $0.value }
        let whole = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"]
        if whole.contains(where: { $0.unicodeScalars.map(\.value) == upper }) { return true }
        guard upper.count == 4, ["COM", "LPT"].contains(where: { $0.unicodeScalars.map(\.value) == upper.dropLast() })
        else { return false }
        return (0x31...0x39).contains(upper[3]) || [0xB9, 0xB2, 0xB3].contains(upper[3])
    }

    /// Step 8
    private static func removeOne(_ scalars: inout [Unicode.Scalar]) {
        let stop = scalars.lastIndex(of: ".")
        if let stop, stop > 0, length(Array(scalars[stop...])) <= 32 {
            scalars.remove(at: stop - 1)
        } else {
            scalars.removeLast()
        }
    }

    private static func trimEnd(_ scalars: inout [Unicode.Scalar]) {
        while let last = scalars.last, isEdge(last) { scalars.removeLast() }
    }

    private static func isEdge(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "." }

    private static func length(_ scalars: [Unicode.Scalar]) -> Int { text(scalars).utf8.count }

    private static func text(_ scalars: [Unicode.Scalar]) -> String {
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars)
        return text
    }
}
