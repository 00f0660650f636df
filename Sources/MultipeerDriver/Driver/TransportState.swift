import MultipeerCore

/// A step that the adapter must take with its transport, because the link no longer needs all of it.
@nonexhaustive
public enum TransportStep: Hashable, Sendable {
    /// End the sending direction, and continue to read. Everything written must leave first. Report the outcome with
    /// ``LinkDriver/outputEnded()`` or ``LinkDriver/outputCannotEnd()``.
    case endOutput
    /// Close the transport as soon as everything written has left. Closing at once would drop it.
    case closeAfterWrites
    /// Close the transport at once.
    case close
}

/// What a link will still send.
enum LinkOutput {
    /// It may send more.
    case expected
    /// It sends nothing, and waits for the peer's answer.
    case ended
    /// It sends what is queued, and then nothing, because the link is over.
    case last
    /// It sends nothing, and no longer needs its transport.
    case finished
}

/// How much of the transport has been closed, and what comes next.
struct TransportState {
    private enum Output {
        case open
        /// ``TransportStep/endOutput`` has been requested. Bytes may still be on their way.
        case ending
        case ended
    }

    /// Whether the transport is open, between the adapter's `transportOpened` and `transportClosed`.
    var isOpen = false
    private(set) var hasInputEnded = false
    private var output = Output.open
    private var canEndOutput = true
    private var isClosing = false
    private var isAborted = false
    private var hasAskedToClose = false
    /// The time until which a finished link waits for its last bytes to leave. A peer that does not read must not hold
    /// the transport for ever.
    private(set) var deadline: Instant?

    /// Whether the transport still accepts bytes.
    var takesBytes: Bool {
        switch output {
        case .open: isOpen && !isClosing && !isAborted
        case .ending, .ended: false
        }
    }

    /// Records the end of the peer's stream. Returns false if it was known.
    mutating func endInput() -> Bool {
        defer { hasInputEnded = true }
        return !hasInputEnded
    }

    mutating func outputEnded() { output = .ended }

    /// Records that the transport stays open both ways until the link is finished.
    mutating func outputCannotEnd() {
        output = .open
        canEndOutput = false
    }

    /// Closes the transport then, whatever waits.
    mutating func giveUp(at moment: Instant) { deadline = deadline ?? moment }

    /// Closes the transport without waiting for written bytes to leave.
    mutating func abort() {
        isAborted = true
    }

    mutating func timeout(at now: Instant) {
        if let deadline, now >= deadline { isAborted = true }
    }

    /// Returns the next step, each once. `patience` limits how long the last bytes of a link that is over may take.
    mutating func nextStep(_ link: LinkOutput, at now: Instant, patience: Duration) -> TransportStep? {
        guard isOpen, !hasAskedToClose else { return nil }
        if isAborted || link == .finished && output == .ended {
            hasAskedToClose = true
            deadline = nil
            return .close
        }
        switch link {
        case .expected:
            return nil
        case .ended:
            guard output == .open, canEndOutput else { return nil }
            output = .ending
            return .endOutput
        case .last:
            deadline = deadline ?? now.advanced(by: patience)
            return nil
        case .finished:
            deadline = deadline ?? now.advanced(by: patience)
            // While the output is ending, the transport reports when its last bytes have left.
            guard output == .open, !isClosing else { return nil }
            isClosing = true
            return .closeAfterWrites
        }
    }

    /// Records that the transport is gone.
    mutating func closed() {
        isOpen = false
        deadline = nil
    }
}
