import Multipeer
import MultipeerCommandLine
import MultipeerCore
import MultipeerDriver
import MultipeerNIO

/// Standard input that goes out as a stream.
struct StreamInput: Sendable {
    /// What the stream is for.
    let name: String
    let input: StandardInput
}

/// Sends standard input as a stream. The receiver ends its own direction once it has written everything, which shows
/// the local peer that it has.
struct StreamSender: Sendable {
    let session: Session
    let input: StreamInput

    private var connection: LinkConnection { session.connection }

    /// Runs to the end, and returns the failure.
    func run() async -> CommandFailure? {
        let stream: StreamID
        do throws(RequestError) {
            stream = try await connection.openStream(named: input.name)
        } catch {
            return told(.unfinishedStream(input.name))
        }
        guard let size = await pump(into: stream) else {
            if input.input.errorNumber != 0 {
                try? await connection.resetStream(stream, code: StreamCode.failed)
                return told(CommandFailure(reading: "-", WholeInput.Failure(errno: input.input.errorNumber)))
            }
            return told(await reason(stream) ?? .unfinishedStream(input.name))
        }
        if let failure = await reason(stream) { return told(failure) }
        session.tell(.streamSent(name: input.name, size: size))
        return nil
    }

    /// Writes all of the input. Returns how many bytes that were, or nil if it could not be done.
    private func pump(into stream: StreamID) async -> UInt64? {
        var size: UInt64 = 0
        while let piece = await input.input.next() {
            do throws(RequestError) {
                try await connection.write(piece, to: stream)
            } catch {
                return nil
            }
            size += UInt64(piece.count)
        }
        guard !Task.isCancelled, input.input.errorNumber == 0 else { return nil }
        do throws(RequestError) {
            try await connection.finishStream(stream)
        } catch {
            return nil
        }
        return size
    }

    /// Waits for what the receiver says. Nil if it has taken everything.
    private func reason(_ stream: StreamID) async -> CommandFailure? {
        while let part = await connection.nextPart(of: stream) {
            switch part {
            // Nobody here waits for bytes.
            case .bytes: break
            case .ended(.complete): return nil
            case .ended(.reset(StreamCode.unwanted)):
                return CommandFailure(
                    "stream", "the peer does not take the stream \(SafeText.escape(input.name))",
                    remedy: "Start the peer with --stream \(SafeText.escape(input.name))", .refused)
            case .ended(.reset):
                return CommandFailure(
                    "stream", "the peer gave up the stream \(SafeText.escape(input.name))",
                    remedy: "Ask the remote person why", .refused)
            case .ended: return .unfinishedStream(input.name)
            }
        }
        return .unfinishedStream(input.name)
    }

    private func told(_ failure: CommandFailure) -> CommandFailure {
        session.tell(.streamFailed(.sent, name: input.name, failure))
        return failure
    }
}

/// Codes of SPEC §15.6.
enum StreamCode {
    /// Nobody here wants a stream of this name.
    static let unwanted: UInt64 = 1
    /// What was read from, or written to, failed.
    static let failed: UInt64 = 2
}

extension CommandFailure {
    /// The link ended before the stream was complete.
    static func unfinishedStream(_ name: String) -> CommandFailure {
        CommandFailure(
            "stream", "the link ended before the stream \(SafeText.escape(name)) was complete", remedy: "Send it again",
            .unreachable)
    }
}
