import FuzzSupport
import MultipeerVectors

/// Files of vectors: what is read says the same once it is written, and keeps the rules of Vectors/README.md.
enum VectorFileOracle {
    static func read(_ text: [UInt8]) throws {
        try JSONOracle.read(text)
        let file: VectorFile
        do { file = try VectorFile(text: text, file: "f") } catch {
            return try require("\(error)".utf8.starts(with: "f".utf8), "an error that does not name the file")
        }
        let written = Array(JSONWriter.file(file.json).utf8)
        try requireEqual(try VectorFile(text: written, file: "f"), file, "a file of vectors, read again")
        // No member is lost on the way: unknown ones are refused, so the values are the same.
        try requireEqual(file.json, try JSONParser.parse(text), "a file of vectors, as JSON")
        try checkRules(file)
    }

    private static func checkRules(_ file: VectorFile) throws(OracleFailure) {
        try requireEqual(file.specVersion, VectorFile.currentSpecVersion, "the specification of a file")
        for group in file.groups {
            try requireEqual(group.type.schema, file.schema, "the schema of a group")
            for test in group.tests {
                for flag in test.flags { try require(file.notes[flag] != nil, "the flag \(flag) has no note") }
            }
        }
    }
}
