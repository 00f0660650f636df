import MultipeerCore

/// What the adapter is to do to its transport, because the link needs it no longer.
@nonexhaustive
public enum TransportStep: Hashable, Sendable {
    /// End the sending side, and go on reading. What was written has to leave first. Tell the driver of the outcome by
    /// ``LinkDriver/outputEnded()`` or ``LinkDriver/outputCannotEnd()``.
    case endOutput
    /// Close the transport as soon as all that was written has left. Closing at once would drop it.
    case closeAfterWrites
    /// Close the transport at once.
    case close
}

/// What a link will still send.
enum LinkOutput {
    /// Perhaps more.
    case expected
    /// Nothing; the peer's answer is awaited.
    case ended
    /// What is queued, and then nothing: the link is over.
    case last
    /// Nothing: the link needs its transport no longer.
    case finished
}

/// How far the transport is closed, and what comes next.
struct TransportState {
    private enum Output {
        case open
        /// ``TransportStep/endOutput`` was asked for: bytes may still be on their way.
        case ending
        case ended
    }

    /// Whether the transport is there: between the adapter's `transportOpened` and `transportClosed`.
    var isOpen = false
    private(set) var hasInputEnded = false
    private var output = Output.open
    private var canEndOutput = true
    private var isClosing = false
    private var isAborted = false
    private var hasAskedToClose = false
    /// When a finished link waits no longer for its last bytes to leave: a peer that does not read must not hold the
    /// transport for ever.
    private(set) var deadline: Instant?

    /// Whether the transport still takes bytes.
    var takesBytes: Bool {
        switch output {
        case .open: isOpen && !isClosing && !isAborted
        case .ending, .ended: false
        }
    }

    /// Notes the end of the peer's stream. False if it was known.
    mutating func endInput() -> Bool {
        defer { hasInputEnded = true }
        return !hasInputEnded
    }

    mutating func outputEnded() { output = .ended }

    /// The transport stays open both ways until the link is finished.
    mutating func outputCannotEnd() {
        output = .open
        canEndOutput = false
    }

    /// Closes without regard to what was written.
    mutating func abort() {
        isAborted = true
    }

    mutating func timeout(at now: Instant) {
        if let deadline, now >= deadline { isAborted = true }
    }

    /// The next step, each of them once. `patience` bounds how long the last bytes of a link that is over may take.
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
            // Where the output is ending, the transport tells when its last bytes have left.
            guard output == .open, !isClosing else { return nil }
            isClosing = true
            return .closeAfterWrites
        }
    }

    /// The transport is gone.
    mutating func closed() {
        isOpen = false
        deadline = nil
    }
}
