/// What one peer has sent, on its way to the other.
struct SessionWire {
    private(set) var pending: [UInt8] = []
    /// Bytes that were sent, and bytes that arrived.
    private(set) var sent = 0
    private(set) var arrived = 0
    /// Whether anything but honest bytes is or was in it.
    private(set) var isTampered = false

    /// Whether all that was sent has arrived as it was sent.
    var isWhole: Bool { !isTampered && arrived == sent }

    mutating func carry(_ bytes: [UInt8]) {
        pending += bytes
        sent += bytes.count
    }

    mutating func take(_ count: Int) -> [UInt8] {
        let bytes = Array(pending.prefix(count))
        pending.removeFirst(bytes.count)
        arrived += bytes.count
        return bytes
    }

    mutating func flip(at place: Int, _ bits: UInt8) {
        guard !pending.isEmpty, bits != 0 else { return }
        pending[place % pending.count] ^= bits
        isTampered = true
    }

    mutating func drop(at place: Int, _ count: Int) {
        guard !pending.isEmpty, count > 0 else { return }
        let start = place % pending.count
        pending.removeSubrange(start..<min(pending.count, start + count))
        isTampered = true
    }

    mutating func duplicate(at place: Int, _ count: Int) {
        guard !pending.isEmpty, count > 0 else { return }
        let start = place % pending.count
        let end = min(pending.count, start + count)
        pending.insert(contentsOf: pending[start..<end], at: end)
        isTampered = true
    }

    /// The end of it is lost, as when a connection dies.
    mutating func truncate(to count: Int) {
        guard count < pending.count else { return }
        pending.removeLast(pending.count - count)
    }
}
