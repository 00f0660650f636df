/// How far something has come, as a line.
public struct ProgressBar: Equatable, Sendable {
    /// What is done: `sending` or the like.
    public var verb: String
    /// What it is done with.
    public var name: String
    /// How many bytes are done.
    public var done: UInt64
    /// How many bytes there are.
    public var size: UInt64
    /// How many bytes are done in a second, if that is known.
    public var bytesPerSecond: Double?
    /// How long the rest takes, if that is known.
    public var timeLeft: Duration?
    /// How long nothing has been done, if that is worth saying. Then it takes the place of rate and time left.
    public var stalledFor: Duration?

    /// Describes progress.
    public init(
        verb: String, name: String, done: UInt64, size: UInt64, bytesPerSecond: Double? = nil,
        timeLeft: Duration? = nil,
        stalledFor: Duration? = nil
    ) {
        self.stalledFor = stalledFor
        self.verb = verb
        self.name = name
        self.done = done
        self.size = size
        self.bytesPerSecond = bytesPerSecond
        self.timeLeft = timeLeft
    }

    /// The progress from 0 to 100. What is empty is complete at once.
    public var percent: Int { size == 0 ? 100 : Int(min(1, Double(done) / Double(size)) * 100) }

    /// Returns a line of at most `columns` columns. A narrow one has what matters most: how far it is, and then what it is.
    public func line(columns: Int) -> String {
        let width = min(columns, 119)
        let tail = tail(width)
        guard width > tail.count + 4 else { return DisplayWidth.cut(tail, to: width) }
        // A name of twelve columns and a bar of ten are worth showing.
        let hasBar = width - tail.count >= 26
        let head = DisplayWidth.cut("\(verb) \(name)", to: width - tail.count - (hasBar ? 14 : 1))
        guard hasBar else { return head + " " + tail }
        let length = min(40, width - DisplayWidth.columns(of: head) - tail.count - 4)
        let filled = length * percent / 100
        return head + " [" + String(repeating: "#", count: filled) + String(repeating: "-", count: length - filled)
            + "] "
            + tail
    }

    private func tail(_ width: Int) -> String {
        let digits = String(percent)
        let part = String(repeating: " ", count: 3 - digits.count) + digits + " %"
        guard width >= 32 else { return part }
        // That matters more than the size.
        if let stall, width < 70 { return part + stall }
        return part + " of \(ByteCount.text(size))" + (width >= 70 ? speed : "")
    }

    /// Rate and time left.
    private var speed: String {
        if let stall { return stall }
        guard let rate = bytesPerSecond else { return "" }
        let text = ", \(ByteCount.text(UInt64(max(0, min(rate, 1e15)))))/s"
        guard percent < 100, let left = timeLeft, left < .seconds(86_400) else { return text }
        return text + ", \(Self.clock(Int(left.components.seconds))) left"
    }

    private var stall: String? {
        guard let seconds = stalledFor?.components.seconds else { return nil }
        return ", stalled for " + (seconds < 60 ? "\(seconds) s" : Self.clock(Int(seconds)))
    }

    /// Returns a time as `m:ss`, or as `h:mm:ss`.
    private static func clock(_ seconds: Int) -> String {
        let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
        let head = hours > 0 ? "\(hours):\(twoDigits(minutes))" : "\(minutes)"
        return head + ":" + twoDigits(seconds % 60)
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
