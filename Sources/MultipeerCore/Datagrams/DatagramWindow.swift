/// Which counters have come (R26.4-2, R26.4-3). Nothing is marked before the packet has verified.
struct DatagramWindow {
    /// How far below the greatest counter a packet may be late.
    static let length: UInt64 = 2_048
    /// How far above the greatest counter a packet may be.
    static let lead: UInt64 = 65_536

    /// The greatest counter that has verified; nil before the first.
    private(set) var greatest: UInt64?
    /// How many packets have verified.
    private(set) var count: UInt64 = 0
    private var marks = [UInt64](repeating: 0, count: Int(Self.length) / UInt64.bitWidth)

    /// Whether a packet with this counter may be opened.
    func passes(_ counter: UInt64) -> Bool {
        guard let greatest else { return counter < Self.lead }
        if counter > greatest { return counter - greatest <= Self.lead }
        return greatest - counter < Self.length && !isMarked(counter)
    }

    /// A packet with this counter has verified.
    mutating func mark(_ counter: UInt64) {
        if let greatest, counter > greatest { clear(after: greatest, through: counter) }
        greatest = max(greatest ?? counter, counter)
        count += 1
        let (word, bit) = Self.place(counter)
        marks[word] |= bit
    }

    private func isMarked(_ counter: UInt64) -> Bool {
        let (word, bit) = Self.place(counter)
        return marks[word] & bit != 0
    }

    /// The places of counters that nobody has used yet served counters that are too old now.
    private mutating func clear(after old: UInt64, through new: UInt64) {
        guard new - old < Self.length else {
            for index in marks.indices { marks[index] = 0 }
            return
        }
        for counter in old + 1...new {
            let (word, bit) = Self.place(counter)
            marks[word] &= ~bit
        }
    }

    private static func place(_ counter: UInt64) -> (word: Int, bit: UInt64) {
        let index = Int(counter % length)
        return (index / UInt64.bitWidth, 1 << UInt64(index % UInt64.bitWidth))
    }
}
