/// What waits to be printed: lines up to a bound, and the last line of the terminal.
///
/// A peer can make this process print as fast as it sends. So what finds no room is left out and counted, and the count
/// is printed in its place.
struct PrintQueue {
    /// A line, or several, for one of the standard streams.
    struct Item: Equatable {
        let stream: StandardStream
        let bytes: [UInt8]
    }

    /// What to print next: lines, and then the footer.
    struct Batch: Equatable {
        let items: [Item]
        let footer: String?
    }

    /// The number of waiting bytes from which on lines are left out. One line may exceed it.
    static let limit = 4_194_304
    /// The number of waiting bytes from which on a link with many events waits (``Output/waitForRoom()``).
    static let crowded = 1_048_576
    /// How long the reader may take nothing before it counts as gone to sleep.
    static let patience = Duration.seconds(5)

    private var items: [Item] = []
    /// The number of bytes that wait or are being written.
    private(set) var waiting = 0
    private var omitted = 0
    /// The text of the last line of the terminal, which has no line feed: a question, or a progress bar.
    private var footer: String?
    private var hasNewFooter = false
    private var isPrinting = false
    /// When the reader last took something, or the queue was last empty.
    private var lastProgress = ContinuousClock.now

    /// Whether everything has been printed.
    var isIdle: Bool { items.isEmpty && omitted == 0 && !hasNewFooter && !isPrinting }

    /// Whether there is room for one more line. While lines are left out, there is room only when half is free, so that
    /// the counts do not stand between single lines.
    var hasRoom: Bool { waiting < (omitted == 0 ? Self.limit : Self.limit / 2) }

    /// Whether the reader has taken nothing for a while, although something waits.
    func isStuck(at now: ContinuousClock.Instant) -> Bool { waiting > 0 && now - lastProgress > Self.patience }

    /// Counts a line for which there is no room.
    mutating func omit() { omitted += 1 }

    /// - Parameter omission: Makes the line that says how many lines are missing before this one.
    mutating func append(_ item: Item, omission: (Int) -> Item) {
        noteOmissions(omission)
        if waiting == 0 { lastProgress = .now }
        waiting += item.bytes.count
        items.append(item)
    }

    mutating func setFooter(_ footer: String?) {
        guard footer != self.footer else { return }
        self.footer = footer
        hasNewFooter = true
    }

    /// Takes everything that waits. Returns nil if nothing does.
    mutating func takeBatch(omission: (Int) -> Item) -> Batch? {
        // Lines that were left out after all others are told when the others are printed.
        if items.isEmpty { noteOmissions(omission) }
        isPrinting = !items.isEmpty || hasNewFooter
        guard isPrinting else { return nil }
        hasNewFooter = false
        defer { items = [] }
        return Batch(items: items, footer: footer)
    }

    /// Notes that bytes of a batch have been written, or will never be.
    mutating func noteWritten(_ count: Int) {
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
