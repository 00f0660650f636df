import Multipeer
import MultipeerCommandLine
import MultipeerTerminal

/// Sends the same to several peers, to all at a time, each over a connection of its own. One that cannot be found or declines keeps
/// nothing from the others.
struct SendRuns: Sendable {
    let recipients: [PeerArgument]
    let picker: PeerPicker
    let output: Output
    /// What sends to one of them.
    let run: @Sendable (RemotePeer) -> SendRun

    /// Sends all to each. Returns a failure if somebody has not got all of it, with the status of the first.
    func run(_ items: [SendRun.Item], text: [UInt8]?) async -> CommandFailure? {
        let targets = await picker.findEach(recipients)
        let failures = await withTaskGroup(of: (Int, CommandFailure?).self) { group in
            for (number, target) in targets.enumerated() {
                group.addTask { (number, await send(items, text, to: target)) }
            }
            var failures: [Int: CommandFailure] = [:]
            for await (number, failure) in group {
                failures[number] = failure
                output.report(RecipientEvent(recipient: targets[number].recipient, failure: failure))
            }
            return failures
        }
        guard let first = failures.min(by: { $0.key < $1.key })?.value else { return nil }
        let missing = failures.keys.sorted().map { targets[$0].recipient.text }
        return CommandFailure(
            "recipients",
            "\(targets.count - missing.count) of \(targets.count) have got all; not \(missing.joined(separator: ", "))",
            remedy: "Send it again to \(missing.count == 1 ? "this one" : "these") once the reason above is mended",
            first.status)
    }

    private func send(
        _ items: [SendRun.Item], _ text: [UInt8]?, to target: FoundRecipient
    ) async -> CommandFailure? {
        switch target.outcome {
        case .success(let peer): await run(peer).run(items, text: text)
        case .failure(let failure): failure
        }
    }
}

/// One of several recipients, and its identity.
struct FoundRecipient: Sendable {
    let recipient: PeerArgument
    let outcome: Result<RemotePeer, CommandFailure>
}

/// What has become of one of several recipients (docs/command-line.md).
struct RecipientEvent: Report {
    let recipient: PeerArgument
    /// Why it has not got all; nil if it has.
    let failure: CommandFailure?

    var members: [(String, JSON)] {
        [("event", .string("recipient")), ("to", .string(recipient.text)), ("complete", .boolean(failure == nil))]
            + (failure.map { failure in
                [
                    ("phase", .string(failure.phase)), ("reason", .string(failure.reason)),
                    ("remedy", .string(failure.remedy)), ("exitStatus", .integer(UInt64(failure.status.rawValue))),
                ]
            } ?? [])
    }

    var leastVerbosity: Verbosity { failure == nil ? .usual : .quiet }

    func text(_ palette: Palette) -> String {
        guard let failure else { return palette.green("\(recipient.text) has got all") }
        return palette.red("\(recipient.text) has not got all: \(failure.phase):")
            + " \(failure.reason)\n  \(palette.bold("remedy:")) \(failure.remedy)"
    }
}
