import ArgumentParser
import MultipeerCommandLine

extension Arguments {
    /// Parses the name of a file, without a path.
    static func fileName(_ text: String) throws -> String {
        guard !text.isEmpty, text.utf8.count <= 255, text != ".", text != "..", !text.utf8.contains(UInt8(ascii: "/")),
            !text.utf8.contains(0)
        else { throw ValidationError("A name of a file must have 1 to 255 bytes and no slash.") }
        return text
    }

    /// Parses a number of seconds, whole or not, from none to a day.
    static func retry(_ text: String) throws -> Duration {
        guard let seconds = Double(text), seconds >= 0, seconds <= 86_400 else {
            throw ValidationError("This time must be a number of seconds from 0 to 86400.")
        }
        return .milliseconds(Int64((seconds * 1_000).rounded()))
    }
}
