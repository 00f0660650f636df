/// Shares a direction between messages and bulk: four bytes of messages for one of bulk where both wait (SPEC §15.2). This is
/// deficit round robin for two, where frames can be cut at any byte, so that a turn ends exactly.
struct FairShare: Sendable {
    enum Class: Sendable { case messages, bulk }

    /// How many bytes of bulk go out in a turn.
    static let quantum = 16_384
    /// How many bytes of messages for one of bulk.
    static let weight = 4

    private var turn = Class.bulk
    /// What the class of this turn may still send.
    private var left = 0

    /// The class that sends next, and at most how many bytes; nil if none waits. Alone, a class has no limit.
    mutating func next(messages: Bool, bulk: Bool) -> (Class, allowance: Int)? {
        guard messages, bulk else {
            reset()
            return messages ? (.messages, .max) : bulk ? (.bulk, .max) : nil
        }
        if left <= 0 {
            turn = turn == .messages ? .bulk : .messages
            left += turn == .messages ? Self.quantum * Self.weight : Self.quantum
        }
        return (turn, left)
    }

    /// The class that comes next begins a turn: none saves up.
    mutating func reset() { left = 0 }

    /// `count` bytes of the turn went out.
    mutating func spend(_ count: Int) {
        if left > 0 { left -= count }
    }

    /// The turn is over, because what is left of it is too little for a frame.
    mutating func endTurn() { left = min(left, 0) }
}

/// Which stream or file sends next: each in its turn, as many bytes as the others (SPEC §15.2).
struct BulkRing: Sendable {
    /// How many bytes go out in a turn.
    static let quantum = 16_384

    private var ids: [UInt64] = []
    private var head = 0
    private var left = quantum

    var count: Int { ids.count - head }
    var isEmpty: Bool { head == ids.count }

    /// The stream or file whose turn it is.
    var first: UInt64? { isEmpty ? nil : ids[head] }

    /// Whether one of the numbers fits.
    func contains(where fits: (UInt64) -> Bool) -> Bool { ids[head...].contains(where: fits) }

    /// How many bytes it may send before it is another's turn.
    var allowance: Int { count == 1 ? .max : left }

    /// Adds a number, which must not be there.
    mutating func append(_ id: UInt64) { ids.append(id) }

    /// The first number has nothing more to send.
    mutating func removeFirst() {
        guard !isEmpty else { return }
        head += 1
        left = Self.quantum
        compact()
    }

    /// The first number has sent so much.
    mutating func spend(_ count: Int) {
        left -= count
        if left <= 0 { rotate() }
    }

    /// It is the next one's turn.
    mutating func rotate() {
        guard let first else { return }
        ids.append(first)
        removeFirst()
    }

    private mutating func compact() {
        if isEmpty {
            ids.removeAll(keepingCapacity: ids.count < 64)
            head = 0
        } else if head > 32, head * 2 > ids.count {
            ids.removeFirst(head)
            head = 0
        }
    }
}
