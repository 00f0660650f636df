/// A line that shows the progress of a file.
enum ProgressBar {
    /// Returns a line of at most `columns` columns, so that a carriage return can replace it.
    static func line(_ progress: FileProgress, columns: Int?) -> String {
        let width = max(20, min(columns ?? 80, 120)) - 1
        let verb = progress.direction == .sent ? "sending" : "receiving"
        let tail = " \(padded(progress.percent)) % of \(amount(progress.size))"
        let room = max(0, width - tail.count - 24)
        let head = String("\(verb) \(SafeText.escape(progress.name))".prefix(room))
        let bar = max(0, min(40, width - head.count - tail.count - 3))
        let done = bar * Int(min(progress.percent, 100)) / 100
        return head + " [" + String(repeating: "#", count: done) + String(repeating: "-", count: bar - done) + "]"
            + tail
    }

    private static func padded(_ percent: UInt64) -> String {
        let digits = String(min(percent, 100))
        return String(repeating: " ", count: 3 - digits.count) + digits
    }

    /// Returns the number of bytes in the unit that leaves one to four digits.
    private static func amount(_ bytes: UInt64) -> String {
        var value = bytes
        for unit in ["B", "KiB", "MiB", "GiB"] {
            if value < 10_240 { return "\(value) \(unit)" }
            value /= 1_024
        }
        return "\(value) TiB"
    }
}
