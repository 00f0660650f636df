import MultipeerCore
import MultipeerTestSupport
import Synchronization
import Testing

@testable import MultipeerDriver

@Suite("Queue from tasks to the link", .endsIfItHangs)
struct SendQueueTests {
    private static let wide = Watermarks(low: 1_000_000, high: 2_000_000)

    private static func openQueue(_ watermarks: Watermarks = wide, maximum: UInt64 = 100) -> SendQueue {
        let queue = SendQueue(watermarks: watermarks)
        queue.open(maximum: maximum)
        return queue
    }

    @Test("The driver is woken once, not again while it works, and again once it rests")
    func wakes() async throws {
        let queue = Self.openQueue()
        let wakes = Atomic<Int>(0)
        queue.setWake { wakes.add(1, ordering: .relaxed) }
        try await queue.send([1])
        try await queue.send([2])
        #expect(wakes.load(ordering: .relaxed) == 1)

        #expect(queue.takeAccepted() == [[1], [2]])
        try await queue.send([3])
        #expect(wakes.load(ordering: .relaxed) == 1)
        let isMore = queue.report(linkBytes: 0)
        #expect(isMore)

        #expect(queue.takeAccepted() == [[3]])
        let isYetMore = queue.report(linkBytes: 0)
        #expect(!isYetMore)
        try await queue.send([4])
        #expect(wakes.load(ordering: .relaxed) == 2)
        #expect(queue.takeAccepted() == [[4]])
    }

    @Test("Suspended senders continue in order, without waking the driver, when the link has drained")
    func suspension() async throws {
        let queue = Self.openQueue(Watermarks(low: 0, high: 1))
        try await queue.send([0])
        #expect(queue.takeAccepted() == [[0]])
        queue.setWake { Issue.record("woken while at work") }
        var senders: [Task<Void, any Error>] = []
        for number in 1...3 {
            senders.append(Task { try await queue.send([UInt8(number)]) })
            try await eventually { queue.status.suspended == number }
        }
        for number in 1...3 {
            let isMore = queue.report(linkBytes: 0)
            #expect(isMore)
            #expect(queue.takeAccepted() == [[UInt8(number)]])
        }
        for sender in senders { try await sender.outcome() }
        let isMore = queue.report(linkBytes: 0)
        #expect(!isMore)
    }

    @Test("All is sent when queue, link and transport are empty; if the link ends or the task is cancelled it is not")
    func allHasLeft() async throws {
        let queue = Self.openQueue()
        #expect(await queue.waitUntilSent())
        try await queue.send([])
        let waits = Task { await queue.waitUntilSent() }
        #expect(queue.takeAccepted() == [[]])
        _ = queue.report(linkBytes: 0, isHeld: true)
        let cancelled = Task { await queue.waitUntilSent() }
        cancelled.cancel()
        #expect(await cancelled.value == false)
        _ = queue.report(linkBytes: 0)
        #expect(await waits.value)
        try await queue.send([1])
        let late = Task { await queue.waitUntilSent() }
        #expect(queue.stop() == [[1]])
        #expect(await late.value == false)
        #expect(await queue.waitUntilSent() == false)
    }

    @Test("Bytes that the link has not sent count for the next sender")
    func queueOfTheLink() async throws {
        let queue = Self.openQueue(Watermarks(low: 0, high: 100))
        try await queue.send([UInt8](repeating: 1, count: 60))
        #expect(queue.takeAccepted().count == 1)
        let isMore = queue.report(linkBytes: 60)
        #expect(!isMore)
        try await queue.send([UInt8](repeating: 2, count: 50))
        let third = Task { try await queue.send([3]) }
        try await eventually { queue.status.suspended == 1 }
        #expect(queue.takeAccepted().map(\.count) == [50])
        let hasThird = queue.report(linkBytes: 0)
        #expect(hasThird && queue.takeAccepted() == [[3]])
        _ = try await third.outcome()
    }

    @Test("A burst of now-or-never messages is sent on an idle link, up to 16 KiB; one of any length is sent alone")
    func urgentBurst() throws {
        let queue = Self.openQueue(maximum: 1_000_000)
        let clock = ManualClock()
        for _ in 0..<16 { #expect(try queue.trySend([UInt8](repeating: 1, count: 1_024), at: clock.now) != nil) }
        #expect(try queue.trySend([1], at: clock.now) == nil)
        #expect(queue.takeAccepted().count == 16)
        // The link has a part of it still.
        _ = queue.report(linkBytes: 1_024)
        #expect(try queue.trySend([2], at: clock.now) != nil)
        #expect(queue.takeAccepted() == [[2]])
        _ = queue.report(linkBytes: 0)
        #expect(try queue.trySend([UInt8](repeating: 3, count: 100_000), at: clock.now) != nil)
        #expect(try queue.trySend([4], at: clock.now) == nil)
        #expect(queue.takeAccepted().map(\.count) == [100_000])
    }

    @Test("If something has waited for more than 50 ms, now-or-never messages are dropped until all of it is sent")
    func urgentTooLate() throws {
        let queue = Self.openQueue()
        let clock = ManualClock()
        #expect(try queue.trySend([1], at: clock.now) != nil)
        #expect(queue.takeAccepted() == [[1]])
        _ = queue.report(linkBytes: 1)
        clock.advance(by: .milliseconds(50))
        #expect(try queue.trySend([2], at: clock.now) != nil)
        clock.advance(by: .milliseconds(1))
        #expect(try queue.trySend([3], at: clock.now) == nil)
        #expect(queue.takeAccepted() == [[2]])
        _ = queue.report(linkBytes: 2)
        #expect(try queue.trySend([4], at: clock.now) == nil)
        _ = queue.report(linkBytes: 0)
        #expect(try queue.trySend([5], at: clock.now) != nil)
        // The time begins anew.
        clock.advance(by: .milliseconds(50))
        #expect(try queue.trySend([6], at: clock.now) != nil)
        #expect(queue.takeAccepted() == [[5], [6]])
    }

    @Test("A message too long is refused at once, and one that the link's end overtakes when it ends")
    func refusals() async throws {
        let queue = Self.openQueue(Watermarks(low: 0, high: 1), maximum: 1)
        await #expect(throws: SendFailure.messageTooLong(maximum: 1)) { try await queue.send([1, 2]) }
        try await queue.send([1])
        let waiting = Task { try await queue.send([2]) }
        try await eventually { queue.status.suspended == 1 }
        let unsent = queue.stop()
        #expect(unsent == [[1]])
        await #expect(throws: SendFailure.notConnected) { try await waiting.outcome() }
        await #expect(throws: SendFailure.notConnected) { try await queue.send([3]) }
    }

    /// Works as a driver does: comes when woken, and rests when the queue says that there is no more.
    private actor Loop {
        let queue: SendQueue
        var taken: [[UInt8]] = []

        init(_ queue: SendQueue) { self.queue = queue }

        func drain() {
            repeat { taken += queue.takeAccepted() } while queue.report(linkBytes: 0)
        }
    }

    @Test(
        "Messages of many senders are neither lost nor reordered, and no wake-up is missed",
        arguments: [1, 50, 1 << 20])
    func concurrency(high: Int) async throws {
        let queue = Self.openQueue(Watermarks(low: high / 2, high: high))
        let loop = Loop(queue)
        queue.setWake { Task { await loop.drain() } }
        let (senders, count) = (4, 5_000)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for sender in 0..<senders {
                group.addTask {
                    for number in 0..<count {
                        let message = [UInt8(sender), UInt8(number >> 8), UInt8(number & 0xFF)]
                        try await queue.send(message)
                    }
                }
            }
            try await group.waitForAll()
        }
        // Nobody sends any more: what is missing comes by wake-ups already made, or never.
        try await eventually { await loop.taken.count == senders * count }
        let taken = await loop.taken
        for sender in 0..<senders {
            let numbers = taken.filter { $0[0] == UInt8(sender) }.map { Int($0[1]) << 8 | Int($0[2]) }
            #expect(numbers == Array(0..<count))
        }
    }
}
