import Multipeer

/// A line that shows the progress of a file.
enum ProgressBar {
    /// Returns a line of at most `columns` columns, so that a carriage return can replace it.
    static func line(_ progress: FileProgress, columns: Int?) -> String {
        let width = max(20, min(columns ?? 80, 120)) - 1
        let verb = progress.direction == .sent ? "sending" : "receiving"
        let tail = " \(padded(progress.percent)) % of \(ByteCount.text(progress.size))" + speed(progress, width: width)
        let room = max(0, width - tail.count - 24)
        let head = String("\(verb) \(SafeText.escape(progress.name))".prefix(room))
        let bar = max(0, min(40, width - head.count - tail.count - 3))
        let done = bar * Int(min(progress.percent, 100)) / 100
        return head + " [" + String(repeating: "#", count: done) + String(repeating: "-", count: bar - done) + "]"
            + tail
    }

    /// Returns rate and time left, for a line that has room for them.
    private static func speed(_ progress: FileProgress, width: Int) -> String {
        guard width >= 70, let rate = progress.bytesPerSecond else { return "" }
        let text = ", \(ByteCount.text(UInt64(max(0, min(rate, 1e15)))))/s"
        guard progress.percent < 100, let left = progress.timeLeft, left < .seconds(86_400) else { return text }
        let seconds = Int(left.components.seconds)
        return text + ", \(clock(seconds)) left"
    }

    /// Returns a time as `m:ss`, or as `h:mm:ss`.
    private static func clock(_ seconds: Int) -> String {
        let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
        let head = hours > 0 ? "\(hours):\(twoDigits(minutes))" : "\(minutes)"
        return head + ":" + twoDigits(seconds % 60)
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static func padded(_ percent: UInt64) -> String {
        let digits = String(min(percent, 100))
        return String(repeating: " ", count: 3 - digits.count) + digits
    }
}
