import MultipeerCrypto
import MultipeerTesting
import MultipeerWire
import Testing

@testable import MultipeerCore

@Suite("Datagrams beside two links, SPEC §26")
struct DatagramPathTests {
    private func number(_ value: Int) -> [UInt8] { Array("message \(value)".utf8) }

    @Test(
        "Two links agree, their paths hold after three probes, and messages go both ways",
        arguments: Peers.crypto.availableSuites)
    func bothWays(suite: Suite) throws {
        var world = try DatagramWorld(seed: 1, suite: suite)
        world.advance(by: .milliseconds(10))
        let (holds, count) = (world.holds, world.packetCount)
        #expect(holds && count == 3)
        let outcomes = (world.send(number(1)), world.send(number(2), fromInitiator: false))
        #expect(outcomes.0 == .sent && outcomes.1 == .sent)
        world.advance(by: .milliseconds(10))
        let came = world.came
        #expect(came.responder == [number(1)] && came.initiator == [number(2)])
    }

    @Test(
        "Whatever the network does, nothing comes twice or forged, and paths hold again",
        arguments: 0..<24 as Range<UInt64>)
    func disorder(seed: UInt64) throws {
        var world = try DatagramWorld(seed: seed)
        world.network = DatagramWorld.Network(lost: Int(seed % 3) * 50, doubled: 200, delay: 1 + Int(seed % 5) * 20)
        var sent: Set<[UInt8]> = []
        for value in 0..<2_000 {
            world.advance(by: .milliseconds(5))
            if world.send(number(value)) == .sent { sent.insert(number(value)) }
        }
        world.network = DatagramWorld.Network()
        world.advance(by: .seconds(10))
        let came = world.came.responder
        #expect(Set(came).count == came.count, "nothing comes twice")
        #expect(sent.isSuperset(of: came), "nothing comes that was not sent")
        #expect(came.count * 4 > sent.count * 3, "\(came.count) of \(sent.count)")
        #expect(sent.count > 100, "\(sent.count)")
    }

    @Test(
        "Where a fifth of all packets is lost, a path rests for no minute, R26.7-4", arguments: 0..<8 as Range<UInt64>)
    func muchLoss(seed: UInt64) throws {
        var world = try DatagramWorld(seed: 100 + seed)
        world.network = DatagramWorld.Network(lost: 200, delay: 40)
        world.advance(by: .seconds(10))
        var overLink = 0
        for value in 0..<15_000 {
            world.advance(by: .milliseconds(20))
            if world.send(number(value)) == .overLink { overLink += 1 }
        }
        #expect(overLink < 500, "\(overLink) of five minutes' 15,000")
        #expect(world.came.responder.count > 4_000, "\(world.came.responder.count)")
    }

    @Test(
        "The initiator's port changes while messages go: within seconds they come again, whoever sends, R26.5-3",
        arguments: [[true], [false], [true, false]])
    func anotherPort(senders: [Bool]) throws {
        var world = try DatagramWorld(seed: 9)
        world.advance(by: .milliseconds(10))
        var late = 0
        for round in 1...5 {
            for value in 0..<1_500 {
                world.advance(by: .milliseconds(20))
                for sender in senders where world.send(number(value), fromInitiator: sender) != .sent { late += 1 }
            }
            world.initiatorPort += 1
            // What only the responder sends waits until the initiator asks, which it does every 15 s.
            let before = world.came
            world.advance(by: .milliseconds(20))
            for _ in 0..<(senders == [false] ? 1_200 : 60) {
                for sender in senders { _ = world.send(number(0), fromInitiator: sender) }
                world.advance(by: .milliseconds(20))
            }
            let outcomes = senders.map { world.send(number(round), fromInitiator: $0) }
            world.advance(by: .milliseconds(10))
            #expect(outcomes.allSatisfy { $0 == .sent }, "\(round): \(outcomes)")
            let after = world.came
            if senders.contains(true) { #expect(after.responder.count > before.responder.count) }
            if senders.contains(false) { #expect(after.initiator.count > before.initiator.count) }
        }
        #expect(late < 200, "\(late)")
    }

    @Test("A packet with any byte changed is dropped and changes nothing, and the genuine one opens, R26.4-1, R26.4-3")
    func flips() throws {
        var world = try DatagramWorld(seed: 2)
        world.advance(by: .milliseconds(10))
        let port = DatagramWorld.firstPort
        _ = world.initiator.send(number(1), at: world.now)
        let sent = world.initiator.nextPacket()?.bytes
        let packet = try #require(sent)
        let deadline = world.responder.deadline(at: world.now)
        for place in packet.indices {
            for bit in [1, 0x80] as [UInt8] {
                var changed = packet
                changed[place] ^= bit
                world.responder.receive(changed.span, from: port, at: world.now)
            }
        }
        for length in 0..<packet.count {
            world.responder.receive(Array(packet.prefix(length)).span, from: port, at: world.now)
        }
        let after = (
            world.responder.nextMessage(), world.responder.nextPacket() == nil, world.responder.deadline(at: world.now)
        )
        #expect(after.0 == nil && after.1 && after.2 == deadline)
        world.responder.receive(packet.span, from: port, at: world.now)
        world.responder.receive(packet.span, from: port, at: world.now)
        let messages = (world.responder.nextMessage(), world.responder.nextMessage())
        #expect(messages.0 == number(1) && messages.1 == nil)
    }

    @Test("A black hole makes the path rest, twice as long each time, R26.5-6, R26.7-4")
    func blackHole() throws {
        var world = try DatagramWorld(seed: 3)
        world.advance(by: .milliseconds(10))
        world.network.lost = 1_000
        var rests = 0
        // While it rests, messages go over the link.
        for _ in 0..<6_000 {
            world.advance(by: .milliseconds(100))
            if world.send(number(0)) == .overLink { rests += 1 }
        }
        let lostPackets = world.packetCount
        #expect(rests > 5_900, "\(rests)")
        // A message each 100 ms until the timer has fired three times, and probes.
        #expect(lostPackets < 100, "\(lostPackets) packets in ten minutes")
        world.network.lost = 0
        world.advance(by: .seconds(900))
        _ = world.send(number(1))
        world.advance(by: .seconds(30))
        let holds = world.initiator.holds(at: world.now)
        #expect(holds, "it is found again")
    }

    @Test("A receiver opens no more packets than its bound, R26.4-4")
    func opening() throws {
        var world = try DatagramWorld(seed: 4)
        world.advance(by: .milliseconds(10))
        let port = DatagramWorld.firstPort
        _ = world.initiator.send(number(1), at: world.now)
        let genuine = try #require(world.initiator.nextPacket()?.bytes)
        // Forged ones with the tag of the link, which whoever sees a packet knows.
        var forged = genuine
        forged[20] ^= 1
        for _ in 0..<1_100 { world.responder.receive(forged.span, from: port, at: world.now) }
        world.responder.receive(genuine.span, from: port, at: world.now)
        let dropped = world.responder.nextMessage()
        #expect(dropped == nil, "the bound is used up")
        world.responder.receive(genuine.span, from: port, at: world.now.advanced(by: .seconds(1)))
        let opened = world.responder.nextMessage()
        #expect(opened == number(1))
    }

    @Test("What the app does not take is bounded, R26.6-2")
    func untaken() throws {
        var world = try DatagramWorld(seed: 5)
        world.appsTake = false
        let long = [UInt8](repeating: 7, count: 1_167)
        for _ in 0..<400 {
            world.advance(by: .milliseconds(20))
            _ = world.send(long)
        }
        let count = world.came.responder.count
        #expect(count == 65_536 / (1_167 + 64))
    }

    @Test("All paths of a process share a bound, R26.7-5")
    func budget() throws {
        let budget = DatagramBudget(perSecond: 10_000, burst: 12_000)
        var world = try DatagramWorld(seed: 6, budget: budget)
        world.advance(by: .milliseconds(10))
        let long = [UInt8](repeating: 7, count: 1_167)
        // Probes have used two packets of the ten that the burst allows.
        let outcomes = (0..<10).map { _ in world.send(long) }
        #expect(outcomes.filter { $0 == .sent }.count == 8, "\(outcomes)")
        world.advance(by: .milliseconds(240))
        let later = (0..<3).map { _ in world.send(long) }
        #expect(later.filter { $0 == .sent }.count == 2, "\(later)")
    }

    @Test("Once a link closes its keys are gone, and no path can be made, R26.4-5")
    func closed() throws {
        var pair = try DatagramWorld.agreedPair(.chaChaPoly)
        pair.initiator.link.close(at: pair.now)
        pair.run()
        let paths = (
            try pair.initiator.link.makeDatagramPath(
                random: SeededRandomSource(seed: 1), budget: .ofProcess(), at: pair.now) == nil,
            try pair.responder.link.makeDatagramPath(
                random: SeededRandomSource(seed: 1), budget: .ofProcess(), at: pair.now) == nil
        )
        #expect(paths.0 && paths.1)
    }

    @Test("Challenges are new ones each time, and never zero, R26.5-2")
    func challenges() {
        var random = DatagramRandomness(SeededRandomSource(seed: 7), varies: true)
        let drawn = (0..<1_000).map { _ in random.challenge() }
        #expect(Set(drawn).count == 1_000 && !drawn.contains(0))
        let times = (0..<1_000).map { _ in random.vary(.seconds(1)) }
        #expect(times.allSatisfy { $0 >= .milliseconds(750) && $0 < .milliseconds(1_250) })
        #expect(Set(times).count > 900)
    }
}
