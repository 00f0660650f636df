import ArgumentParser
import MultipeerCommandLine
import MultipeerWire

extension Arguments {
    /// Parses the name of a stream (SPEC §15.6).
    static func streamName(_ text: String) throws -> String {
        guard text.utf8.count <= StreamOpen.maximumNameLength else {
            throw ValidationError("The name of a stream may have at most \(StreamOpen.maximumNameLength) bytes.")
        }
        return text
    }

    static func context(_ text: String) throws -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.count <= Invite.maximumContextLength else {
            throw ValidationError("A context may have at most \(Invite.maximumContextLength) bytes.")
        }
        return bytes
    }
}
