import MultipeerCertificates
import MultipeerTesting
import Testing

@testable import MultipeerCore

@Suite("Deadlines of many links")
struct DeadlineQueueTests {
    @Test("The earliest deadline comes first, in whatever order they were added")
    func order() {
        var (queue, dice) = (DeadlineQueue(), SeededRandomSource(seed: 4))
        var times: [UInt64] = []
        for _ in 0..<500 {
            let time = dice.next() % 100
            times.append(time)
            queue.append(Instant(nanoseconds: time), LinkNumber(rawValue: dice.next() % 50))
        }
        var came: [UInt64] = []
        while let (at, _) = queue.first {
            came.append(at.nanoseconds)
            queue.removeFirst()
        }
        #expect(came == times.sorted())
    }
}
