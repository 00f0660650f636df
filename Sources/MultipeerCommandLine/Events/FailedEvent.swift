import MultipeerTerminal

/// The failure of a command, or of one of several links.
struct FailedEvent: Report {
    let failure: CommandFailure
    let link: Int?

    var members: [(String, JSON)] {
        [("event", .string("failed"))] + (link.map { [("link", .integer(UInt64($0)))] } ?? []) + [
            ("phase", .string(failure.phase)), ("reason", .string(failure.reason)),
            ("remedy", .string(failure.remedy)), ("exitStatus", .integer(UInt64(failure.status.rawValue))),
        ]
    }

    var leastVerbosity: Verbosity { .quiet }

    func text(_ palette: Palette) -> String {
        "failed, \(failure.phase): \(failure.reason)"
    }
}
