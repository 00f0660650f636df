import FuzzSupport
import MultipeerCore

/// Local names of files (SPEC §15.5): what every file system needs, and the steps of the section.
enum FileNameOracle {
    static func derive(_ name: [UInt8]) throws {
        let local = SanitizedFileName.derive(from: name)
        let bytes = Array(local.utf8)
        try require((1...200).contains(bytes.count), "a local name of \(bytes.count) bytes")
        try require(local != "." && local != "..", "a local name that means a folder")
        for byte in bytes {
            try require(byte >= 0x20 && byte != 0x7F && byte != 0x2F && byte != 0x5C, "byte \(byte) in a local name")
        }
        try require(!local.unicodeScalars.contains { ModelText.isForbidden($0.value) }, "a control in a local name")
        for edge in [bytes.first, bytes.last] {
            try require(edge != 0x20 && edge != 0x2E, "a space or full stop at an end of a local name")
        }
        try require(!ModelFileName.isDeviceName(Array(local.unicodeScalars)), "a device's name: \(local)")
        let again = Array(SanitizedFileName.derive(from: bytes).utf8)
        try requireEqual(again, bytes, "a local name, derived again")
        // Ill-formed names never get so far (R15.5-1).
        if let scalars = ModelText.scalars(name) {
            try requireEqual(bytes, Array(ModelFileName.derive(scalars).utf8), "a local name by SPEC §15.5")
        }
    }
}
