/// The counted frames that have gone out and that no ACK counts, where none is kept: only which messages end with them. What a peer leaves
/// unacknowledged costs no memory for each frame.
struct SentRuns: Sendable {
    /// Frames that follow each other.
    private struct Run {
        var count: UInt64
        /// The message that ends with the first of them, if one ends with each; 0 if none ends.
        var firstTag: UInt64
    }

    /// The run that grows.
    private var last: Run?
    /// Those before it.
    private var earlier = DrainQueue<Run>()
    private(set) var count: UInt64 = 0

    /// A frame goes out, which ends a message or none.
    mutating func append(ending tag: MessageTag?) {
        count += 1
        let tag = tag?.number ?? 0
        if let last, tag == (last.firstTag == 0 ? 0 : last.firstTag + last.count) {
            self.last = Run(count: last.count + 1, firstTag: last.firstTag)
            return
        }
        if let last { earlier.append(last) }
        last = Run(count: 1, firstTag: tag)
    }

    /// Takes the first `number` frames, of which there must be as many. Returns the messages that end with them.
    mutating func takeFirst(_ number: UInt64) -> [MessageRange] {
        var (ranges, left): ([MessageRange], UInt64) = ([], min(number, count))
        count -= left
        while left > 0 {
            let isEarlier = !earlier.isEmpty
            guard var run = isEarlier ? earlier.takeFirst() : last.take() else { break }
            let taken = min(left, run.count)
            left -= taken
            if run.firstTag > 0 { ranges.append(run.firstTag, count: taken) }
            run = Run(count: run.count - taken, firstTag: run.firstTag == 0 ? 0 : run.firstTag + taken)
            if isEarlier {
                run.count > 0 ? earlier.putBack(run) : earlier.moveUp()
            } else if run.count > 0 {
                last = run
            }
        }
        return ranges
    }
}

extension [MessageRange] {
    /// Adds messages above all that are there.
    fileprivate mutating func append(_ first: UInt64, count: UInt64) {
        let range = MessageRange(first: MessageTag(number: first), last: MessageTag(number: first + count - 1))
        if let last, last.last.number + 1 == first {
            self[self.count - 1] = MessageRange(first: last.first, last: range.last)
        } else {
            append(range)
        }
    }
}
