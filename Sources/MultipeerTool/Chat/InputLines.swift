import MultipeerCommandLine

/// The lines of standard input, without their ends. A line that is too long comes in parts, and one that is not UTF-8 is repaired.
struct InputLines: AsyncSequence, Sendable {
    /// The most bytes of a line.
    static let longestLine = 65_536

    func makeAsyncIterator() -> Iterator { Iterator() }

    struct Iterator: AsyncIteratorProtocol {
        private let input = StandardInput()
        private var waiting: [UInt8] = []
        private var hasEnded = false

        /// Returns the next line; nil at the end, and if the task is cancelled.
        mutating func next() async -> String? {
            while true {
                if let end = waiting.firstIndex(of: UInt8(ascii: "\n")) { return take(end, and: 1) }
                if waiting.count >= InputLines.longestLine { return take(InputLines.longestLine, and: 0) }
                if hasEnded { return waiting.isEmpty ? nil : take(waiting.count, and: 0) }
                guard let piece = await input.next(), !piece.isEmpty else {
                    hasEnded = true
                    continue
                }
                waiting += piece
            }
        }

        private mutating func take(_ count: Int, and more: Int) -> String {
            defer { waiting.removeFirst(count + more) }
            return String(decoding: waiting[..<count], as: UTF8.self)
        }
    }
}
