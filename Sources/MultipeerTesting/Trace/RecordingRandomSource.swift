import MultipeerCrypto
import Synchronization

/// Seeded bytes that are remembered, so that a trace can show its secrets. NO SECURITY.
struct RecordingRandomSource: RandomSource {
    /// What was drawn, in order.
    final class Log: Sendable {
        private let drawn = Mutex<[[UInt8]]>([])

        /// The first draw of `count` bytes.
        func first(of count: Int) -> [UInt8] { drawn.withLock { $0.first { $0.count == count } ?? [] } }

        /// The last draw of `count` bytes.
        func last(of count: Int) -> [UInt8] { drawn.withLock { $0.last { $0.count == count } ?? [] } }

        fileprivate func append(_ bytes: [UInt8]) { drawn.withLock { $0.append(bytes) } }
    }

    let log = Log()
    private var base: SeededRandomSource

    init(seed: UInt64) { base = SeededRandomSource(seed: seed) }

    mutating func fill(_ bytes: inout MutableSpan<UInt8>) {
        base.fill(&bytes)
        log.append([UInt8](copying: bytes.span))
    }
}

extension [UInt8] {
    fileprivate init(copying span: Span<UInt8>) {
        self = []
        for index in span.indices { append(span[index]) }
    }
}
