import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Two honest peers, at random, SPEC §13, §15")
struct AssociationPropertyTests {
    /// What one peer has sent, and how its streams ended.
    private struct Sent {
        var messages: [[UInt8]] = []
        var streams: [UInt64: [UInt8]] = [:]
        var finished: Set<UInt64> = []
        var givenUp: Set<UInt64> = []
        var files: [[UInt8]] = []
        var contents: [UInt64: [UInt8]] = [:]
    }

    private final class World {
        let test: TestPair
        var sent = [Sent(), Sent()]
        var dice: SplitMix
        private var seen = [0, 0]
        /// Streams on which a side may write.
        private var writable: [[StreamID]] = [[], []]
        /// Streams that a side may stop.
        private var readable: [[StreamID]] = [[], []]
        /// Streams whose other direction a side has stopped.
        private(set) var stopped: [Set<UInt64>] = [[], []]
        /// Streams that go one way.
        private var oneWay: Set<UInt64> = []

        init(seed: UInt64) throws {
            test = TestPair(try Peers.openPair(encryption: seed % 2 == 0 ? .none : .required))
            dice = SplitMix(seed: seed)
            test.pair.initiator.script.suppliesFiles = false
            test.pair.responder.script.suppliesFiles = false
        }

        private func with<Result>(_ side: Int, _ body: (inout SimulatedPeer) throws -> Result) rethrows -> Result {
            if side == 0 { return try body(&test.pair.initiator) }
            return try body(&test.pair.responder)
        }

        private func bytes(_ most: Int) -> [UInt8] {
            let count = dice.below(most)
            return (0..<count).map { _ in UInt8(truncatingIfNeeded: dice.next()) }
        }

        func step() throws {
            let (side, now) = (dice.below(2), test.pair.now)
            switch dice.below(13) {
            case 0, 1:
                let message = bytes(dice.below(4) == 0 ? 400_000 : 2_000)
                try with(side) { _ = try $0.link.send(message, at: now) }
                sent[side].messages.append(message)
            case 2:
                let credit = ([0, 1, 7, 20_000, 100_000] as [UInt64])[dice.below(5)]
                guard let stream = try? with(side, { try $0.link.openStream(named: "s", credit: credit, at: now) })
                else {
                    return
                }
                writable[side].append(stream)
                if credit == 0 { oneWay.insert(stream.rawValue) } else { readable[side].append(stream) }
                sent[side].streams[stream.rawValue] = []
            case 3, 4, 5:
                guard let stream = pick(side) else { return }
                let content = bytes(60_000)
                try with(side) { try $0.link.write(content, to: stream, at: now) }
                sent[side].streams[stream.rawValue, default: []] += content
            case 6:
                guard let stream = pick(side) else { return }
                try with(side) { try $0.link.finishStream(stream, at: now) }
                sent[side].finished.insert(stream.rawValue)
                writable[side].removeAll { $0 == stream }
            case 7 where dice.below(3) == 0:
                guard let stream = pick(side) else { return }
                try with(side) { try $0.link.resetStream(stream, code: 64, at: now) }
                sent[side].givenUp.insert(stream.rawValue)
                writable[side].removeAll { $0 == stream }
            case 8:
                let content = bytes(150_000)
                guard
                    let file = try? with(
                        side, { try $0.link.offerFile(name: "f", size: UInt64(content.count), at: now) })
                else { return }
                sent[side].files.append(content)
                sent[side].contents[file.rawValue] = content
            case 9 where dice.below(3) == 0 && !readable[side].isEmpty:
                let stream = readable[side].remove(at: dice.below(readable[side].count))
                let isStopped = (try? with(side, { try $0.link.stopStream(stream, code: 65, at: now) })) != nil
                if isStopped { stopped[side].insert(stream.rawValue) }
            default: test.pair.run(rounds: 1 + dice.below(3))
            }
            try react()
        }

        private func pick(_ side: Int) -> StreamID? {
            writable[side].isEmpty ? nil : writable[side][dice.below(writable[side].count)]
        }

        /// Supplies files, and notes what the peer opened.
        func react() throws {
            for side in 0..<2 {
                let now = test.pair.now
                with(side) { $0.drain(at: now) }
                let effects = test.effects(of: side == 0 ? .initiator : .responder)
                for effect in effects[seen[side]...] {
                    switch effect {
                    case .outgoingFile(.wanted(let file, let offset, let maximum)):
                        let chunk = (sent[side].contents[file.rawValue] ?? []).dropFirst(Int(offset)).prefix(maximum)
                        try with(side) { try $0.link.supply(Array(chunk), to: file, at: now) }
                    case .stream(.opened(let stream, _)):
                        readable[side].append(stream)
                        guard !oneWay.contains(stream.rawValue) else { continue }
                        writable[side].append(stream)
                        sent[side].streams[stream.rawValue] = []
                    case .stream(.stopped(let stream, _)): writable[side].removeAll { $0 == stream }
                    default: break
                    }
                }
                seen[side] = effects.count
            }
        }

        /// Ends all streams, and runs until nothing moves.
        func finish() throws {
            for side in 0..<2 {
                for stream in writable[side] {
                    let now = test.pair.now
                    try with(side) { try $0.link.finishStream(stream, at: now) }
                    sent[side].finished.insert(stream.rawValue)
                }
                writable[side] = []
            }
            for _ in 0..<10_000 {
                let before = (seen[0], seen[1])
                test.pair.run()
                try react()
                if before == (seen[0], seen[1]), !test.pair.initiator.link.hasOutput,
                    !test.pair.responder.link.hasOutput
                {
                    // What was opened meanwhile is ended as well.
                    guard writable[0].isEmpty, writable[1].isEmpty else { return try finish() }
                    return
                }
            }
        }
    }

    @Test("No honest frame is a fault; all messages, streams and files arrive once, in order", arguments: 1...12)
    func everythingArrives(seed: Int) throws {
        let world = try World(seed: UInt64(seed))
        for _ in 0..<150 { try world.step() }
        try world.finish()
        let (one, other) = world.test.stages
        #expect(one == .open && other == .open, "\(world.test.failures)")
        for side in 0..<2 {
            let sent = world.sent[side]
            let receiver: LinkRole = side == 0 ? .responder : .initiator
            #expect(world.test.messages(of: receiver) == sent.messages)
            var (streams, ends): ([UInt64: [UInt8]], [UInt64: StreamEnding]) = ([:], [:])
            for case .stream(let event) in world.test.effects(of: receiver) {
                if case .data(let stream, let bytes) = event { streams[stream.rawValue, default: []] += bytes }
                if case .ended(let stream, let ending) = event {
                    #expect(ends[stream.rawValue] == nil)
                    ends[stream.rawValue] = ending
                }
            }
            for (id, content) in sent.streams {
                if world.stopped[1 - side].contains(id) {
                    #expect(ends[id] == nil && content.starts(with: streams[id] ?? []))
                } else if sent.finished.contains(id) {
                    #expect(ends[id] == .complete && streams[id] ?? [] == content)
                } else {
                    #expect(ends[id] == .reset(64) && content.starts(with: streams[id] ?? []))
                }
            }
            let files = side == 0 ? world.test.pair.responder.files : world.test.pair.initiator.files
            #expect(files.count == sent.files.count)
            #expect(Set(files) == Set(sent.files))
        }
        let misuses = (world.test.pair.initiator.misuses, world.test.pair.responder.misuses)
        #expect(misuses.0.isEmpty && misuses.1.isEmpty)
    }
}
