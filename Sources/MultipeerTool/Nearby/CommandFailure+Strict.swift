import Multipeer
import MultipeerCommandLine
import MultipeerStorage

extension CommandFailure {
    /// With `--strict`, a folder is sent as a whole or not at all.
    static func leavesOut(_ omitted: OmittedMembers, of path: String) -> CommandFailure {
        CommandFailure(
            "file", "\(SafeText.escape(path)): \(omitted.count) in it cannot be sent: \(omitted.text)",
            remedy: "Remove them, or send the rest without --strict", .input)
    }
}
