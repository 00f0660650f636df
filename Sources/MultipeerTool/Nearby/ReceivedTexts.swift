import Multipeer
import MultipeerCommandLine

/// Shows what senders of `receive` write. Texts of strangers cost them nothing, so only some are shown, and the others are counted.
final class ReceivedTexts: Sendable {
    private let strangers = StrangerLines()
    private let output: Output

    init(_ output: Output) { self.output = output }

    /// - Parameter isKnown: Whether the sender was met before, or was expected.
    func show(_ message: Message, of member: Member, isKnown: Bool) {
        if !isKnown {
            let (isShown, missed) = strangers.begin()
            tell(missed)
            guard isShown else { return }
        }
        output.report(ChatEvent.message(message.bytes, member))
    }

    /// Nothing more is shown.
    func finish() { tell(strangers.takeMissed()) }

    private func tell(_ missed: Int) {
        guard missed > 0 else { return }
        output.warn(
            "\(missed) more \(missed == 1 ? "text" : "texts") of strangers \(missed == 1 ? "is" : "are") not shown")
    }
}
