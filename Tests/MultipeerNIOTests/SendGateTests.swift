import MultipeerCore
import Synchronization
import Testing

@testable import MultipeerNIO

@Suite("Between senders and the loop", .timeLimit(.minutes(5)))
struct SendGateTests {
    private static let wide = Watermarks(low: 1_000_000, high: 2_000_000)

    private static func openGate(_ watermarks: Watermarks = wide, maximum: UInt64 = 100) -> SendGate {
        let gate = SendGate(watermarks: watermarks)
        gate.open(maximum: maximum)
        return gate
    }

    @Test("The loop is called once, not again while it is at work, and again once it rests")
    func calls() async throws {
        let gate = Self.openGate()
        let calls = Atomic<Int>(0)
        let send = { (byte: UInt8) in
            try await gate.send([byte]) { calls.add(1, ordering: .relaxed) }
        }
        try await send(1)
        try await send(2)
        #expect(calls.load(ordering: .relaxed) == 1)

        #expect(gate.takeMail() == [[1], [2]])
        try await send(3)
        #expect(calls.load(ordering: .relaxed) == 1)
        let isMore = gate.report(linkBytes: 0)
        #expect(isMore)

        #expect(gate.takeMail() == [[3]])
        let isYetMore = gate.report(linkBytes: 0)
        #expect(!isYetMore)
        try await send(4)
        #expect(calls.load(ordering: .relaxed) == 2)
        #expect(gate.takeMail() == [[4]])
    }

    @Test("Suspended senders go on in their order, without a call, when the link has drained")
    func suspension() async throws {
        let gate = Self.openGate(Watermarks(low: 0, high: 1))
        try await gate.send([0]) {}
        #expect(gate.takeMail() == [[0]])
        var senders: [Task<Void, any Error>] = []
        for number in 1...3 {
            senders.append(Task { try await gate.send([UInt8(number)]) { Issue.record("called while at work") } })
            try await eventually { gate.status.suspended == number }
        }
        for number in 1...3 {
            let isMore = gate.report(linkBytes: 0)
            #expect(isMore)
            #expect(gate.takeMail() == [[UInt8(number)]])
        }
        for sender in senders { try await sender.value }
        let isMore = gate.report(linkBytes: 0)
        #expect(!isMore)
    }

    @Test("A message too long is refused at once, and one that the link's end overtakes when it ends")
    func refusals() async throws {
        let gate = Self.openGate(Watermarks(low: 0, high: 1), maximum: 1)
        await #expect(throws: SendFailure.misuse(.messageTooLong(maximum: 1))) { try await gate.send([1, 2]) {} }
        try await gate.send([1]) {}
        let waiting = Task { try await gate.send([2]) {} }
        try await eventually { gate.status.suspended == 1 }
        let unsent = gate.stop(.wrongStage(.closing))
        #expect(unsent == 1)
        await #expect(throws: SendFailure.misuse(.wrongStage(.closing))) { try await waiting.value }
        await #expect(throws: SendFailure.misuse(.wrongStage(.closing))) { try await gate.send([3]) {} }
    }

    /// Works as a link's loop does: comes when called, and rests when the gate says that there is no more.
    private actor Loop {
        let gate: SendGate
        var taken: [[UInt8]] = []

        init(_ gate: SendGate) { self.gate = gate }

        func settle() {
            repeat { taken += gate.takeMail() } while gate.report(linkBytes: 0)
        }
    }

    @Test("Of many senders nothing is lost or out of order, and no call is missed", arguments: [1, 50, 1 << 20])
    func concurrency(high: Int) async throws {
        let gate = Self.openGate(Watermarks(low: high / 2, high: high))
        let loop = Loop(gate)
        let (senders, count) = (4, 5_000)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for sender in 0..<senders {
                group.addTask {
                    for number in 0..<count {
                        let message = [UInt8(sender), UInt8(number >> 8), UInt8(number & 0xFF)]
                        try await gate.send(message) { Task { await loop.settle() } }
                    }
                }
            }
            try await group.waitForAll()
        }
        // Nobody sends any more: what is missing comes by calls already made, or never.
        try await eventually { await loop.taken.count == senders * count }
        let taken = await loop.taken
        for sender in 0..<senders {
            let numbers = taken.filter { $0[0] == UInt8(sender) }.map { Int($0[1]) << 8 | Int($0[2]) }
            #expect(numbers == Array(0..<count))
        }
    }
}
