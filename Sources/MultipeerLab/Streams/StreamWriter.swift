import Multipeer
import MultipeerCommandLine
import MultipeerCore
import MultipeerDriver
import MultipeerNIO

/// Writes a stream of the peer to standard output. It ends its own direction once everything is written, or gives it up.
struct StreamWriter: Sendable {
    let session: Session
    let stream: StreamID
    let outlet: StreamOutlet

    private var connection: LinkConnection { session.connection }

    /// Runs to the end, and returns the failure.
    func run() async -> CommandFailure? {
        var size: UInt64 = 0
        while let part = await connection.nextPart(of: stream) {
            switch part {
            case .bytes(let bytes):
                guard await outlet.write(bytes) else { return await giveUp() }
                size += UInt64(bytes.count)
            case .ended(.complete):
                // A stream whose sender takes nothing has no direction to end.
                try? await connection.finishStream(stream)
                session.tell(.streamReceived(name: outlet.name, size: size))
                return nil
            case .ended(.reset):
                try? await connection.resetStream(stream, code: 0)
                return told(
                    CommandFailure(
                        "stream", "the peer gave up the stream \(SafeText.escape(outlet.name))",
                        remedy: "Ask the remote person why", .refused))
            case .ended: return told(.unfinishedStream(outlet.name))
            }
        }
        return told(.unfinishedStream(outlet.name))
    }

    private func giveUp() async -> CommandFailure {
        try? await connection.stopStream(stream, code: StreamCode.failed)
        try? await connection.resetStream(stream, code: StreamCode.failed)
        return told(
            CommandFailure(
                "stream", "standard output takes no more of the stream \(SafeText.escape(outlet.name))",
                remedy: "Check the program that reads it", .output))
    }

    private func told(_ failure: CommandFailure) -> CommandFailure {
        session.tell(.streamFailed(.received, name: outlet.name, failure))
        return failure
    }
}
