package import ArgumentParser
import Glibc

/// The exit status of the process (docs/command-line.md). The numbers are those of sysexits.h, where it has one.
package enum ExitStatus: Int32, Sendable, CaseIterable {
    /// Success.
    case done = 0
    /// `multipeer doctor` has found a problem. All checks were made, so nothing failed.
    case found = 1
    /// The arguments make no sense. ArgumentParser uses the same number.
    case usage = 64
    /// A local file cannot be read, or is not what it should be.
    case input = 66
    /// The peer cannot be reached, has no room, or went away.
    case unreachable = 69
    /// The local peer failed for a reason of its own.
    case software = 70
    /// The local peer cannot listen at that address.
    case system = 71
    /// A local file cannot be written.
    case output = 73
    /// Something took too long.
    case timedOut = 75
    /// The peer broke the protocol, or did not prove its identity.
    case protocolFailure = 76
    /// One peer refused: it declined the invitation, or a certificate or a policy forbids the session.
    case refused = 77
    /// SIGHUP ended the process, as when its terminal closes: 128 plus the signal's number.
    case hungUp = 129
    /// SIGINT ended the process before the work was done: 128 plus the signal's number.
    case interrupted = 130
    /// The reader of the output went away: 128 plus the number of SIGPIPE.
    case outputClosed = 141
    /// SIGTERM ended the process before the work was done.
    case terminated = 143

    /// The status of a process that a signal ended before the work was done.
    package init(signal: Int32) {
        self =
            switch signal {
            case SIGHUP: .hungUp
            case SIGINT: .interrupted
            default: .terminated
            }
    }

    /// The status as ArgumentParser's type.
    package var code: ExitCode { ExitCode(rawValue) }
}
