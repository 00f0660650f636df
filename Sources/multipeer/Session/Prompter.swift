import Glibc
import MultipeerCore
import MultipeerCrypto
import NIOPosix
import Synchronization

/// Asks the person at the terminal, one question at a time. Without a terminal, the answer is no.
actor Prompter {
    private var last: Task<Void, Never>?

    /// Returns whether the person accepts the invitation. The answer is also no if the task is cancelled.
    func accepts(
        _ invitation: ReceivedInvitation, from peer: PeerID, label: String, output: Output
    ) async -> Bool {
        guard StandardStream.input.isTerminal else {
            output.warn(
                "\(label)declined: there is nobody to ask, because standard input is not a terminal (--accept all)")
            return false
        }
        let before = last
        let question = Task { () -> Bool in
            await before?.value
            guard !Task.isCancelled else { return false }
            // Input that was typed before the question appeared is not an answer to it.
            tcflush(STDIN_FILENO, TCIFLUSH)
            Self.show(invitation, peer, label: label, output)
            defer { output.show(question: nil) }
            return await Self.answer()
        }
        last = Task { _ = await question.value }
        return await withTaskCancellationHandler {
            await question.value
        } onCancel: {
            question.cancel()
        }
    }

    private static func show(_ invitation: ReceivedInvitation, _ peer: PeerID, label: String, _ output: Output) {
        let name = SafeText.escape(peer.displayName.description)
        output.note { _ in
            """
            \(label)\(name) (\(peer.key.description.prefix(8))…) invites you.
              peer ID \(peer.key)
              \(invitation.text)
            """
        }
        output.show(question: "\(label)Accept \(name)? [y/N] ")
    }

    private static func answer() async -> Bool {
        let isCancelled = Cancellation()
        return await withTaskCancellationHandler {
            let line = try? await NIOThreadPool.singleton.runIfActive { TerminalLine.read(unless: isCancelled) }
            guard let line else { return false }
            return ["y", "yes"].contains(line.lowercased())
        } onCancel: {
            isCancelled.set()
        }
    }
}

/// A flag that another task sets once.
final class Cancellation: Sendable {
    private let flag = Atomic(false)

    var isSet: Bool { flag.load(ordering: .relaxed) }

    func set() { flag.store(true, ordering: .relaxed) }
}

/// A line that a person types.
enum TerminalLine {
    /// How often to check whether the question is still open, in milliseconds.
    private static let patience: Int32 = 200
    private static let maximumLength = 256

    /// Returns the next line, or nil at the end of the input or if the question is no longer open. The call blocks.
    static func read(unless cancellation: Cancellation) -> String? {
        var line: [UInt8] = []
        while !cancellation.isSet, line.count < maximumLength {
            var entry = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            // SAFETY: one entry, as said.
            let ready = unsafe poll(&entry, 1, patience)
            if ready == 0 || (ready < 0 && errno == EINTR) { continue }
            var byte: UInt8 = 0
            // SAFETY: writes at most one byte.
            let count = unsafe Glibc.read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return nil }
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }
}
