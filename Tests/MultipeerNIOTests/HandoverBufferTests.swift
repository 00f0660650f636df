import Synchronization
import Testing

@testable import MultipeerNIO

@Suite("Handing over between loops and tasks", .timeLimit(.minutes(5)))
struct HandoverBufferTests {
    @Test("Elements come in order; the producer stops at the high mark, and goes on once at the low one")
    func watermarks() async {
        let buffer = HandoverBuffer<Int>(watermarks: Watermarks(low: 10, high: 30))
        let resumed = Atomic<Int>(0)
        buffer.setResume { resumed.add(1, ordering: .relaxed) }
        let answers = (0..<4).map { buffer.push($0, cost: 10) }
        #expect(answers == [true, true, false, false])
        #expect(buffer.cost == 40)
        #expect(await buffer.next() == 0)
        #expect(await buffer.next() == 1)
        #expect(resumed.load(ordering: .relaxed) == 0)
        #expect(await buffer.next() == 2)
        #expect(resumed.load(ordering: .relaxed) == 1)
        #expect(await buffer.next() == 3)
        #expect(resumed.load(ordering: .relaxed) == 1)
        buffer.finish()
        #expect(await buffer.next() == nil)
    }

    @Test("What waits is delivered after the end, and then the end, to everyone")
    func finish() async {
        let buffer = HandoverBuffer<Int>(watermarks: Watermarks(low: 0, high: 1))
        _ = buffer.push(1, cost: 1)
        buffer.finish()
        _ = buffer.push(2, cost: 1)
        #expect(await buffer.next() == 1)
        #expect(await buffer.next() == nil)
        #expect(await buffer.next() == nil)
    }

    @Test("Waiting tasks get elements in their turn, and the end")
    func waiters() async {
        let buffer = HandoverBuffer<Int>(watermarks: Watermarks(low: 0, high: 1))
        let tasks = (0..<10).map { _ in Task { await buffer.next() } }
        for number in 0..<5 { _ = buffer.push(number, cost: 1) }
        var all: [Int?] = []
        let early = tasks
        for number in 5..<8 { _ = buffer.push(number, cost: 1) }
        buffer.finish()
        for task in early { all.append(await task.value) }
        #expect(Set(all.compactMap { $0 }) == Set(0..<8))
        #expect(all.filter { $0 == nil }.count == 2)
    }

    @Test("A cancelled task sees the end, and takes nothing away")
    func cancellation() async {
        let buffer = HandoverBuffer<Int>(watermarks: Watermarks(low: 0, high: 1))
        for _ in 0..<100 {
            let task = Task { await buffer.next() }
            task.cancel()
            #expect(await task.value == nil)
        }
        _ = buffer.push(7, cost: 1)
        #expect(await buffer.next() == 7)
    }

    @Test("A buffer that nobody reads any more forgets, and lets the producer go on")
    func discard() async {
        let buffer = HandoverBuffer<Int>(watermarks: Watermarks(low: 0, high: 1))
        let resumed = Atomic<Int>(0)
        buffer.setResume { resumed.add(1, ordering: .relaxed) }
        let stops = !buffer.push(1, cost: 1)
        #expect(stops)
        let rest = buffer.discard()
        #expect(rest == [1])
        #expect(resumed.load(ordering: .relaxed) == 1)
        let goesOn = buffer.push(2, cost: 1)
        #expect(goesOn)
        #expect(buffer.cost == 0)
    }

    @Test("Many producers' and consumers' threads lose and double nothing")
    func concurrency() async {
        let buffer = HandoverBuffer<Int>(watermarks: Watermarks(low: 100, high: 200))
        let count = 20_000
        let sum = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var sum = 0
                    while let number = await buffer.next() { sum += number }
                    return sum
                }
            }
            group.addTask {
                for number in 0..<count { _ = buffer.push(number, cost: 1) }
                buffer.finish()
                return 0
            }
            return await group.reduce(0, +)
        }
        #expect(sum == count * (count - 1) / 2)
    }
}
