import Dispatch
import Glibc
import MultipeerTerminal
import Synchronization

/// Standard output, which takes the bytes of one stream in a process. They are written on a thread of its own, because nobody
/// knows when a pipe has room.
final class StreamOutlet: Sendable {
    /// The name of the stream that is wanted.
    let name: String
    private let isTaken = Mutex(false)
    private let jobs = Mutex<[[UInt8]]>([])
    private let work = DispatchSemaphore(value: 0)
    private let answers: AsyncStream<Bool>
    private let answer: AsyncStream<Bool>.Continuation

    init(name: String) {
        self.name = name
        (answers, answer) = AsyncStream.makeStream(of: Bool.self)
    }

    /// Takes the outlet for a stream. Returns false for another name, and if there was a stream before.
    func claim(_ name: String) -> Bool {
        guard name == self.name else { return false }
        let isFirst = isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
        if isFirst { OwnThread.start { [self] in run() } }
        return isFirst
    }

    /// Writes bytes. Returns false if the reader is gone, or the command ends.
    func write(_ bytes: [UInt8]) async -> Bool {
        jobs.withLock { $0.append(bytes) }
        work.signal()
        var iterator = answers.makeAsyncIterator()
        return await iterator.next() ?? false
    }

    /// The command ends: nobody waits for a reader any more.
    func giveUp() { answer.finish() }

    private func run() {
        while true {
            work.wait()
            let next = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            guard let bytes = next else { continue }
            answer.yield(StandardStream.output.write(bytes))
        }
    }
}
