import MultipeerCore
import MultipeerCrypto
import MultipeerWire
import Synchronization
import Testing

@testable import MultipeerDriver

@Suite("Memory for unfinished messages", .timeLimit(.minutes(1)))
struct MessageBudgetTests {
    private static func key(_ digit: Character) throws -> IdentityKey {
        try #require(IdentityKey(String(repeating: digit, count: 64)))
    }

    @Test("One peer holds no more than its part; what it gives up is free again")
    func onePeer() throws {
        let budget = MessageBudget(bytes: 1_000, bytesPerPeer: 100)
        let (anna, ben) = (try Self.key("1"), try Self.key("2"))
        let first = budget.begin(of: anna) {}
        let second = budget.begin(of: anna) {}
        let other = budget.begin(of: ben) {}
        #expect(budget.hold(60, as: first) && budget.hold(40, as: second) && budget.hold(100, as: other))
        #expect(!budget.hold(41, as: second))
        #expect(budget.bytesInUse == 160)
        // It has given up its memory already.
        #expect(!budget.hold(1, as: second))
        #expect(budget.hold(100, as: first))
        for ticket in [first, second, other] { budget.end(ticket) }
        #expect(budget.bytesInUse == 0)
    }

    @Test("When all memory is taken, the message that began first gives up its part")
    func oldest() throws {
        let budget = MessageBudget(bytes: 100, bytesPerPeer: 100)
        let revoked = Mutex<[Int]>([])
        let tickets = try (1...4).map { number in
            budget.begin(of: try Self.key(Character("\(number)"))) { revoked.withLock { $0.append(number) } }
        }
        for ticket in tickets.prefix(3) { #expect(budget.hold(30, as: ticket)) }
        #expect(budget.hold(50, as: tickets[3]))
        #expect(revoked.withLock { $0 } == [1, 2])
        #expect(budget.isRevoked(tickets[0]) && budget.isRevoked(tickets[1]) && !budget.isRevoked(tickets[2]))
        #expect(budget.bytesInUse == 80)
        budget.end(tickets[0])
        #expect(!budget.isRevoked(tickets[0]))
        // The oldest that is left asks for too much itself.
        #expect(!budget.hold(60, as: tickets[2]))
        #expect(budget.bytesInUse == 50)
    }

    @Test("A link whose peer holds too much ends with the reason, and gives back what it held")
    func link() async throws {
        let budget = MessageBudget(bytes: 10_000_000, bytesPerPeer: 250_000)
        let pair = try DriverPair.opened(ben: { $0.messageBudget = budget })
        try await pair.anna.driver.sends.send([UInt8](repeating: 1, count: 200_000))
        pair.run()
        #expect(pair.ben.messages.count == 1 && budget.bytesInUse == 0)
        try await pair.anna.driver.sends.send([UInt8](repeating: 1, count: 300_000))
        pair.ben.readLength = 10_000
        pair.run()
        #expect(pair.ben.end == .failed(LinkFailure(stage: .open, cause: .limit(.memory))))
        #expect(pair.anna.end == .failed(LinkFailure(stage: .open, cause: .peerClosed(.limitExceeded))))
        #expect(budget.bytesInUse == 0)
    }

    @Test("A message that must make room ends its own link, and not the one that needs the room")
    func revocation() async throws {
        let budget = MessageBudget(bytes: 400_000, bytesPerPeer: 10_000_000)
        let first = try DriverPair.opened(ben: { $0.messageBudget = budget })
        let second = try DriverPair.opened(ben: { $0.messageBudget = budget })
        for (pair, length) in [(first, 100_000), (second, 200_000)] {
            try await pair.anna.driver.sends.send([UInt8](repeating: 1, count: 600_000))
            pair.anna.drain(at: pair.now)
            pair.ben.readLength = length
            _ = pair.ben.read(from: pair.anna, at: pair.now)
        }
        second.ben.readLength = .max
        second.run()
        #expect(second.ben.messages.count == 1)
        first.ben.readLength = 0
        first.ben.drain(at: first.now)
        #expect(first.ben.end == .failed(LinkFailure(stage: .open, cause: .limit(.memory))))
        #expect(budget.bytesInUse == 0)
    }
}
