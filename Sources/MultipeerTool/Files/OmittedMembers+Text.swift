import Multipeer
import MultipeerStorage

extension OmittedMembers {
    /// How many a line names.
    private static let mostShown = 8

    /// For programs.
    var members: [(String, JSON)] {
        let named = named.map { member in
            JSON.object([("path", .string(member.path)), ("reason", .string(member.reason.rawValue))])
        }
        return [
            ("count", .integer(UInt64(count))), ("unreadable", .integer(UInt64(unreadable))),
            ("members", .array(named)),
        ]
    }

    /// How many there are, for people: `3 in trip are left out`.
    static func countText(_ count: Int, in name: String) -> String {
        "\(count) in \(SafeText.escape(name)) \(count == 1 ? "is" : "are") left out"
    }

    /// The same after what has been sent: ` (3 in it were left out)`, or nothing.
    static func endText(_ count: Int) -> String {
        count == 0 ? "" : " (\(count) in it \(count == 1 ? "was" : "were") left out)"
    }

    /// For people: `link (a symbolic link), notes (not readable for this user), and 3 more`.
    var text: String {
        let shown = named.prefix(Self.mostShown).map { "\(SafeText.escape($0.path)) (\($0.reason.words))" }
        let left = count - shown.count
        return shown.joined(separator: ", ") + (left > 0 ? ", and \(left) more" : "")
    }
}

extension CommandFailure {
    /// With `--strict`, a folder is sent as a whole or not at all.
    static func leavesOut(_ omitted: OmittedMembers, of path: String) -> CommandFailure {
        CommandFailure(
            "file", "\(SafeText.escape(path)): \(omitted.count) in it cannot be sent: \(omitted.text)",
            remedy: "Remove them, or send the rest without --strict", .input)
    }

    /// A folder was sent without what this user may not read.
    static func unreadable(_ omitted: OmittedMembers, in path: String) -> CommandFailure {
        CommandFailure(
            "file", "\(SafeText.escape(path)) was sent without \(omitted.unreadable) in it that this user may not read",
            remedy: "Give this user the right to read them, and send them again", .input)
    }
}
