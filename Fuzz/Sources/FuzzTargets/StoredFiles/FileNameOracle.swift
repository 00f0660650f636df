import FuzzSupport
import MultipeerCore

/// Local names of files (SPEC §15.5): what every file system needs, and the steps of the section.
enum FileNameOracle {
    static func derive(_ name: [UInt8]) throws {
        let local = SanitizedFileName.derive(from: name)
        let portable = SanitizedFileName.portable(local)
        try checkLocal(local, of: name)
        try checkPortable(portable)
        let visible = SanitizedFileName.visible(local)
        try require(!visible.isEmpty && visible.unicodeScalars.first != ".", "a visible name that is none: \(visible)")
        // Ill-formed names never get so far (R15.5-1).
        guard let scalars = ModelText.scalars(name) else { return }
        try requireEqual(Array(local.utf8), Array(ModelFileName.local(scalars).utf8), "a local name by SPEC §15.5")
        try requireEqual(
            Array(portable.utf8), Array(ModelFileName.portable(local).utf8), "a portable name by SPEC §15.5")
        try requireEqual(Array(visible.utf8), Array(ModelFileName.visible(local).utf8), "a visible name by R15.5-3")
    }

    private static func checkLocal(_ local: String, of name: [UInt8]) throws {
        let bytes = Array(local.utf8)
        // A byte that is no UTF-8 becomes a letter of three.
        try require((1...max(4, 3 * name.count)).contains(bytes.count), "a local name of \(bytes.count) bytes")
        try require(local != "." && local != "..", "a local name that means a folder")
        for byte in bytes { try require(byte >= 0x20 && byte != 0x7F && byte != 0x2F, "byte \(byte) in a local name") }
        try require(!local.unicodeScalars.contains { ModelText.isForbidden($0.value) }, "a control in a local name")
        try requireEqual(Array(SanitizedFileName.derive(from: bytes).utf8), bytes, "a local name, derived again")
    }

    private static func checkPortable(_ portable: String) throws {
        let bytes = Array(portable.utf8)
        try require((1...200).contains(bytes.count), "a portable name of \(bytes.count) bytes")
        for byte in bytes { try require(byte != 0x5C, "a backslash in a portable name") }
        for edge in [bytes.first, bytes.last] {
            try require(edge != 0x20 && edge != 0x2E, "a space or full stop at an end of a portable name")
        }
        try require(!ModelFileName.isDeviceName(Array(portable.unicodeScalars)), "a device's name: \(portable)")
        try requireEqual(Array(SanitizedFileName.portable(portable).utf8), bytes, "a portable name, derived again")
    }
}
