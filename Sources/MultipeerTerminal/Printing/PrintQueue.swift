/// What waits to be printed: lines up to a bound, and the area below them.
///
/// Others can make this process print as fast as they send. So what finds no room is left out and counted, and the count
/// is printed in its place.
package struct PrintQueue {
    /// A line, or several, for one of the standard streams.
    package struct Item: Equatable {
        package let stream: StandardStream
        package let bytes: [UInt8]

        package init(stream: StandardStream, bytes: [UInt8]) {
            self.stream = stream
            self.bytes = bytes
        }
    }

    /// What to print next: lines, and then the area.
    package struct Batch: Equatable {
        package let items: [Item]
        let area: ScreenArea
    }

    /// The number of waiting bytes from which on lines are left out. One line may exceed it.
    package static let limit = 4_194_304
    /// The number of waiting bytes from which on a link with many events waits (``Screen/waitForRoom()``).
    static let crowded = 1_048_576
    /// How long the reader may take nothing before it counts as gone to sleep.
    static let patience = Duration.seconds(5)

    package init() {}

    private var items: [Item] = []
    /// The number of bytes that wait or are being written.
    package private(set) var waiting = 0
    private var omitted = 0
    private(set) var area = ScreenArea()
    private var hasNewArea = false
    private var isPrinting = false
    /// When the reader last took something, or the queue was last empty.
    private var lastProgress = ContinuousClock.now

    /// Whether everything has been printed.
    package var isIdle: Bool { items.isEmpty && omitted == 0 && !hasNewArea && !isPrinting }

    /// Whether there is room for one more line. While lines are left out, there is room only when half is free, so that
    /// the counts do not come between single lines.
    package var hasRoom: Bool { waiting < (omitted == 0 ? Self.limit : Self.limit / 2) }

    /// Whether the reader has taken nothing for a while, although something waits.
    func isStuck(at now: ContinuousClock.Instant) -> Bool {
        (waiting > 0 || hasNewArea || isPrinting) && now - lastProgress > Self.patience
    }

    /// Counts a line for which there is no room.
    package mutating func omit() { omitted += 1 }

    /// - Parameter omission: Makes the line that says how many lines are missing before this one.
    package mutating func append(_ item: Item, omission: (Int) -> Item) {
        noteOmissions(omission)
        if waiting == 0 { lastProgress = .now }
        waiting += item.bytes.count
        items.append(item)
    }

    mutating func change(_ change: (inout ScreenArea) -> Void) {
        let before = area
        change(&area)
        guard area != before else { return }
        if isIdle { lastProgress = .now }
        hasNewArea = true
    }

    /// The area is drawn again: the terminal has another size.
    mutating func drawAgain() { hasNewArea = true }

    /// Takes everything that waits. Returns nil if nothing does.
    package mutating func takeBatch(omission: (Int) -> Item) -> Batch? {
        // Lines that were left out after all others are reported when the others are printed.
        if items.isEmpty { noteOmissions(omission) }
        // The batch before this one has been taken.
        if isPrinting { lastProgress = .now }
        isPrinting = !items.isEmpty || hasNewArea
        guard isPrinting else { return nil }
        hasNewArea = false
        defer { items = [] }
        return Batch(items: items, area: area)
    }

    /// Notes that bytes of a batch have been written, or will never be.
    package mutating func noteWritten(_ count: Int) {
        waiting -= count
        lastProgress = .now
    }

    private mutating func noteOmissions(_ omission: (Int) -> Item) {
        guard omitted > 0 else { return }
        let item = omission(omitted)
        omitted = 0
        append(item, omission: omission)
    }
}
