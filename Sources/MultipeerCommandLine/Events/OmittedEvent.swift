import MultipeerTerminal

/// Results that were left out, because nobody read the output in time.
struct OmittedEvent: Report {
    let count: Int

    var members: [(String, JSON)] { [("event", .string("omitted")), ("count", .integer(UInt64(count)))] }

    func text(_ palette: Palette) -> String {
        palette.yellow("left out:") + " \(count) results, because nobody read the output in time"
    }
}
