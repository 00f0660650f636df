import FuzzSupport
import MultipeerVectors

/// Every file of the vectors with its shortest case alone, and texts at the edges of JSON.
enum VectorFileSeeds {
    static func make(_ vectors: VectorSet) -> [[UInt8]] {
        let files = vectors.files.map { JSONWriter.file(shortened($0.file).json) }.filter { $0.utf8.count < 8_000 }
        return files.map { [2] + Array($0.utf8) } + texts.map { [0] + Array($0.utf8) }
            + [[1, 6, 3, 0, 4, 2, 0x61, 0x62, 5, 2, 2, 1, 7, 3, 1], [1, 5, 4, 4, 3, 0xC3, 0xA9, 0x0A, 3, 0, 0, 0, 9]]
    }

    private static func shortened(_ file: VectorFile) -> VectorFile {
        var short = file
        let shortest = file.groups.min { length($0) < length($1) }
        short.groups = shortest.map { [$0] } ?? []
        guard let tests = shortest?.tests, let test = tests.min(by: { length($0) < length($1) }) else { return short }
        short.groups[0].tests = [test]
        short.notes = file.notes.filter { test.flags.contains($0.key) }
        return short
    }

    private static func length(_ group: VectorGroup) -> Int { group.tests.map(length).min() ?? .max }

    private static func length(_ test: VectorTest) -> Int {
        JSONWriter.line(test.inputs).utf8.count + JSONWriter.line(.array(test.steps ?? [])).utf8.count
    }

    private static let texts: [String] = [
        "{}", "[]", "null", " [true, false, null]\n", #"{"a": [1, -1, 9223372036854775807, -9223372036854775808]}"#,
        #"["\u00e9\ud83d\ude00\n\"\\\/\b\f\r\t"]"#, #""\u+12f""#, #"{"a": 1, "a": 2}"#, "[1.5, 1e3, -0]",
        #"{"é": 1, "e\#u{301}": 2}"#, #"["\ud800"]"#, "[1,]", #"{"a": {"b": {"c": [[[[]]]]}}}"#, "[01]", "1 2",
        String(repeating: "[", count: 63) + String(repeating: "]", count: 63),
        String(repeating: "[", count: 65) + String(repeating: "]", count: 65),
    ]
}
