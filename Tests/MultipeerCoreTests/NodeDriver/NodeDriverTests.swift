import MultipeerCore
import MultipeerDriver
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("The driver of a node")
struct NodeDriverTests {
    // MARK: What a driver says

    @Test("An input that brings an earlier deadline is work for the adapter, and a later deadline is none")
    func deadline() throws {
        let duo = try NodeDuo()
        let end = duo.ben
        #expect(end.driver.deadline == nil && end.workCount == 0)
        _ = try #require(end.driver.accepted(origin: nil, at: duo.now))
        #expect(end.workCount == 1)
        // The peer has not said anything, so that the deadline is all that there is.
        #expect(end.takeReady().isEmpty && end.takeDials().isEmpty)
        let first = try #require(end.driver.deadline)
        _ = try #require(end.driver.accepted(origin: nil, at: duo.now.advanced(by: .seconds(1))))
        #expect(end.workCount == 1 && end.driver.deadline == first)
    }

    @Test("What an app does to one link when it hears of another is ready at once")
    func answersOnAnotherLink() throws {
        let duo = try NodeDuo()
        let (annas, bens) = try duo.opened()
        let second = try duo.connect()
        second.ben.driver.onMilestone = { [driver = bens.driver] _ in
            _ = try? driver.perform(at: duo.now) { (link, now) throws(RequestError) in
                try link.send(Array("another one".utf8), at: now)
            }
        }
        _ = duo.ben.takeReady()
        // Nothing is drained after the bytes that identify Anna.
        while duo.carry(from: second.anna, to: second.ben), second.ben.driver.stage != .identified {
            duo.carry(from: second.ben, to: second.anna)
        }
        try #require(second.ben.driver.stage == .identified)
        #expect(duo.ben.takeReady() == [bens.number])
        duo.carry(from: bens, to: annas)
        #expect(annas.takeMessages() == [Array("another one".utf8)])
    }

    // MARK: Links that end

    @Test("A link whose transport is gone is forgotten, even if its last bytes have not left")
    func disconnected() throws {
        let duo = try NodeDuo()
        let (annas, bens) = try duo.opened()
        duo.anna.driver.close(annas.number, at: duo.now)
        duo.carry(from: annas, to: bens)
        // Ben's CLOSE has not gone out.
        #expect(bens.driver.stage == .closed && duo.ben.hasOutput(on: bens.number))
        bens.driver.transportClosed(at: duo.now)
        #expect(!duo.ben.hasOutput(on: bens.number) && duo.ben.driver.driver(of: bens.number) == nil)
    }

    @Test("A link that opens and closes at once delivers its messages between the two", arguments: [false, true])
    func opensAndCloses(appIsLate: Bool) throws {
        let duo = try NodeDuo()
        let (annas, bens) = try duo.judging()
        try duo.ben.accept(bens, at: duo.now)
        duo.carry(from: bens, to: annas)
        try duo.anna.accept(annas, at: duo.now)
        try #require(annas.driver.stage == .open && bens.driver.stage != .open)
        let sent = try (1...3 as ClosedRange<UInt8>).map { try annas.driver.sends.enqueue([$0]) }
        duo.anna.driver.close(annas.number, at: duo.now)
        // READY, the messages and CLOSE are one piece.
        duo.carry(from: annas, to: bens)
        if appIsLate {
            duo.exchange(annas, bens)
            bens.driver.transportClosed(at: duo.now)
        }
        #expect(NodeDriverTests.outline(of: bens.driver.events.takeAll()) == ["opened", "1", "2", "3", "closed"])
        #expect(duo.ben.opensBeforeItCloses)
        duo.exchange(annas, bens)
        #expect(sent.allSatisfy { $0.result == .delivered })
    }

    /// The events that the test is about.
    private static func outline(of effects: [LinkEffect]) -> [String] {
        effects.compactMap { effect in
            switch effect {
            case .opened: "opened"
            case .message(let message): message.map { "\($0)" }.joined()
            case .closed(.finished): "closed"
            case .closed(let end): "\(end)"
            default: nil
            }
        }
    }
}

extension NodeEnd {
    /// Whether the app has heard that a link is open before it heard of its end.
    fileprivate var opensBeforeItCloses: Bool {
        let names = effects.compactMap { effect -> String? in
            switch effect {
            case .connected: "connected"
            case .closed: "closed"
            default: nil
            }
        }
        return names == ["connected", "closed"]
    }
}
