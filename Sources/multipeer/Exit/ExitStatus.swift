import ArgumentParser

/// What the process says at its end (docs/command-line.md). The numbers are those of sysexits.h, where it has one.
enum ExitStatus: Int32, Sendable, CaseIterable {
    /// Done.
    case done = 0
    /// The arguments make no sense. ArgumentParser uses the same number.
    case usage = 64
    /// A file of this side's cannot be read, or is not what it should be.
    case input = 66
    /// The peer cannot be reached, has no room, or went away.
    case unreachable = 69
    /// This side failed for a reason of its own.
    case software = 70
    /// This side cannot listen at that address.
    case system = 71
    /// A file of this side's cannot be written.
    case output = 73
    /// Someone or something took too long.
    case timedOut = 75
    /// The peer breaks the protocol, or did not prove who it is.
    case protocolFailure = 76
    /// One of both sides said no: declined, certificate, policy.
    case refused = 77
    /// Ended by SIGINT before the work was done: 128 and the signal's number.
    case interrupted = 130
    /// Whoever read the output went away: 128 and the number of SIGPIPE.
    case outputClosed = 141
    /// Ended by SIGTERM before the work was done.
    case terminated = 143

    /// How ArgumentParser is told.
    var code: ExitCode { ExitCode(rawValue) }
}
