import MultipeerTestSupport
import Synchronization
import Testing

@testable import MultipeerDriver

@Suite("Queue from a producer to tasks", .endsIfItHangs)
struct AsyncQueueTests {
    @Test("Elements come in order; the producer stops at the high mark, and continues once at the low one")
    func watermarks() async {
        let queue = AsyncQueue<Int>(watermarks: Watermarks(low: 10, high: 30))
        let resumed = Atomic<Int>(0)
        queue.setResume { resumed.add(1, ordering: .relaxed) }
        let pauses = (0..<4).map { number in
            queue.push(number, cost: 10)
            return queue.isPaused
        }
        #expect(pauses == [false, false, true, true])
        #expect(queue.cost == 40)
        #expect(await queue.next() == 0)
        #expect(await queue.next() == 1)
        #expect(resumed.load(ordering: .relaxed) == 0)
        #expect(await queue.next() == 2)
        #expect(resumed.load(ordering: .relaxed) == 1)
        #expect(await queue.next() == 3)
        #expect(resumed.load(ordering: .relaxed) == 1)
        queue.finish()
        #expect(await queue.next() == nil)
    }

    @Test("Waiting elements are delivered after the end, and then the end, to everyone")
    func finish() async {
        let queue = AsyncQueue<Int>(watermarks: Watermarks(low: 0, high: 1))
        queue.push(1, cost: 1)
        queue.finish()
        queue.push(2, cost: 1)
        #expect(await queue.next() == 1)
        #expect(await queue.next() == nil)
        #expect(await queue.next() == nil)
    }

    @Test("Waiting tasks get elements in their turn, and the end")
    func waiters() async throws {
        let queue = AsyncQueue<Int>(watermarks: Watermarks(low: 0, high: 1))
        let tasks = (0..<10).map { _ in Task { await queue.next() } }
        for number in 0..<5 { queue.push(number, cost: 1) }
        var all: [Int?] = []
        let early = tasks
        for number in 5..<8 { queue.push(number, cost: 1) }
        queue.finish()
        for task in early { all.append(try await task.outcome()) }
        #expect(Set(all.compactMap { $0 }) == Set(0..<8))
        #expect(all.filter { $0 == nil }.count == 2)
    }

    @Test("A cancelled task sees the end, and takes nothing away")
    func cancellation() async throws {
        let queue = AsyncQueue<Int>(watermarks: Watermarks(low: 0, high: 1))
        for _ in 0..<100 {
            let task = Task { await queue.next() }
            task.cancel()
            #expect(try await task.outcome() == nil)
        }
        queue.push(7, cost: 1)
        #expect(await queue.next() == 7)
    }

    @Test("A queue that nobody reads any more drops its elements, and lets the producer continue")
    func discard() async {
        let queue = AsyncQueue<Int>(watermarks: Watermarks(low: 0, high: 1))
        let resumed = Atomic<Int>(0)
        queue.setResume { resumed.add(1, ordering: .relaxed) }
        queue.push(1, cost: 1)
        #expect(queue.isPaused)
        let rest = queue.discard()
        #expect(rest == [1])
        #expect(resumed.load(ordering: .relaxed) == 1)
        queue.push(2, cost: 1)
        #expect(!queue.isPaused)
        #expect(queue.cost == 0)
    }

    @Test("Many producers' and consumers' threads neither lose nor duplicate anything")
    func concurrency() async {
        let queue = AsyncQueue<Int>(watermarks: Watermarks(low: 100, high: 200))
        let count = 20_000
        let sum = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var sum = 0
                    while let number = await queue.next() { sum += number }
                    return sum
                }
            }
            group.addTask {
                for number in 0..<count { queue.push(number, cost: 1) }
                queue.finish()
                return 0
            }
            return await group.reduce(0, +)
        }
        #expect(sum == count * (count - 1) / 2)
    }
}
