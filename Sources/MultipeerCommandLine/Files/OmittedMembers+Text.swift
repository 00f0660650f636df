import Multipeer
package import MultipeerStorage

extension OmittedMembers {
    /// How many a line names.
    private static let mostShown = 8

    /// For programs.
    package var members: [(String, JSON)] {
        let named = named.map { member in
            JSON.object([("path", .string(member.path)), ("reason", .string(member.reason.rawValue))])
        }
        return [
            ("count", .integer(UInt64(count))), ("unreadable", .integer(UInt64(unreadable))),
            ("members", .array(named)),
        ]
    }

    /// How many there are, for people: `3 in trip are left out`.
    package static func countText(_ count: Int, in name: String) -> String {
        "\(count) in \(SafeText.escape(name)) \(count == 1 ? "is" : "are") left out"
    }

    /// The same after what has been sent: ` (3 in it were left out)`, or nothing.
    package static func endText(_ count: Int) -> String {
        count == 0 ? "" : " (\(count) in it \(count == 1 ? "was" : "were") left out)"
    }

    /// For people: `link (a symbolic link), notes (not readable for this user), and 3 more`.
    package var text: String {
        let shown = named.prefix(Self.mostShown).map { "\(SafeText.escape($0.path)) (\($0.reason.words))" }
        let left = count - shown.count
        return shown.joined(separator: ", ") + (left > 0 ? ", and \(left) more" : "")
    }
}

extension CommandFailure {
    /// A folder was sent without what this user may not read.
    package static func unreadable(_ omitted: OmittedMembers, in path: String) -> CommandFailure {
        CommandFailure(
            "file", "\(SafeText.escape(path)) was sent without \(omitted.unreadable) in it that this user may not read",
            remedy: "Give this user the right to read them, and send them again", .input)
    }
}
