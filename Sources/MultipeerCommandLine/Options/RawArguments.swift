import Multipeer

/// The arguments as the system passes them: bytes.
///
/// Swift repairs what is not UTF-8, so that such an argument would silently name another file.
enum RawArguments {
    /// The failure for the first argument that is not UTF-8, or nil if there is none.
    static var failure: CommandFailure? {
        for (index, repaired) in CommandLine.arguments.enumerated() {
            // SAFETY: `argv` has as many C strings as there are arguments. They live as long as the process, and nobody
            // changes them.
            guard let argument = unsafe CommandLine.unsafeArgv[index],
                unsafe String(validatingCString: argument) == nil
            else { continue }
            return CommandFailure(
                "start", "argument \(index) (\(SafeText.escape(repaired))) is not UTF-8",
                remedy: "Give the file a name in UTF-8", .usage)
        }
        return nil
    }
}
