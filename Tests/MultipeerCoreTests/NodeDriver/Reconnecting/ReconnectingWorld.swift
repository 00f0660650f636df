import MultipeerCrypto
import MultipeerDriver
import MultipeerTesting
import MultipeerWire
import Testing

@testable import MultipeerCore

/// Two drivers of nodes on a virtual clock, whose connections break.
final class ReconnectingWorld {
    /// A connection of both.
    private struct Line {
        let numbers: [LinkNumber]
        let drivers: [LinkDriver]
        /// Bytes on their way to each.
        var wires: [[UInt8]] = [[], []]
        /// Nothing arrives any more, whether or not anybody notices.
        var isDead = false
        var isClosed = [false, false]
        var closesAfterWrites = [false, false]
        var hasSeenEnd = [false, false]
        /// Who has seen the end, and has not closed the connection yet.
        var lingers = [false, false]
    }

    private(set) var now = Instant(nanoseconds: 1_000_000_000)
    let sides: [ReconnectingSide]
    private var lines: [Line] = []
    /// Whether connections can be made.
    var isReachable = true
    var dice: SplitMix

    /// Side 0 connects, founds a session and invites. `isController` says whether it has the lesser key.
    init(grace: Duration = .seconds(60), isController: Bool = true, seed: UInt64 = 1) throws {
        let (lesser, greater) = try Peers.seedsByKey()
        dice = SplitMix(seed: seed)
        let start = now
        sides = try (isController ? [lesser, greater] : [greater, lesser]).map { seed in
            try ReconnectingSide(seed, grace: grace, at: start)
        }
    }

    /// A link of both is open.
    func open() throws {
        let made = sides[0].driver.opened(
            expecting: sides[1].key, place: SimulatedHost.address(of: 1), origin: nil, at: now)
        let (number, driver) = try #require(made)
        join(number, driver, by: 0)
        try sides[0].driver.perform(at: now) { (node, now) throws(NodeRequestError) in
            let session = try node.found(at: now)
            try node.invite(on: number, to: session, terms: SessionTerms(encryption: .optional), at: now)
        }
        settle()
        try #require(sides.allSatisfy { $0.heard == ["connected"] })
    }

    private func join(_ number: LinkNumber, _ driver: LinkDriver, by side: Int) {
        guard let accepted = sides[1 - side].driver.accepted(origin: nil, at: now) else { return }
        for driver in [driver, accepted.1] { driver.transportOpened() }
        lines.append(
            side == 0
                ? Line(numbers: [number, accepted.0], drivers: [driver, accepted.1])
                : Line(numbers: [accepted.0, number], drivers: [accepted.1, driver]))
    }

    /// All connections are gone. Those who notice hear it at once; others only by silence. A side that lingers
    /// closes its end by ``closeLingering()``, as an adapter may that has other work.
    func cut(noticedBy noticed: [Int] = [0, 1], lingering: [Int] = []) {
        for index in lines.indices where !lines[index].isDead {
            lines[index].isDead = true
            lines[index].wires = [[], []]
            for side in noticed where !lines[index].isClosed[side] {
                lines[index].lingers[side] = lingering.contains(side)
                lines[index].lingers[side] ? lines[index].drivers[side].receiveEnd(at: now) : close(index, side)
            }
        }
    }

    /// The connections that are gone are closed by all who know it.
    func closeLingering() {
        for index in lines.indices {
            for side in 0..<2 where lines[index].lingers[side] { close(index, side) }
        }
    }

    // MARK: The network

    /// Carries until nobody has anything to say.
    func settle() { while carry() {} }

    /// Carries what is there, or a random part of it. Returns whether anything has happened.
    @discardableResult
    func carry(whole: Bool = true) -> Bool {
        var hasMoved = false
        for side in 0..<2 { hasMoved = work(side) || hasMoved }
        for index in lines.indices {
            for side in 0..<2 where works(index, side) { hasMoved = drain(index, side) || hasMoved }
        }
        for index in lines.indices {
            for side in 0..<2 where works(index, side) { hasMoved = read(index, side, whole) || hasMoved }
        }
        lines.removeAll { $0.isClosed == [true, true] }
        return hasMoved
    }

    /// Lets time pass while side 0 waits for its connections, and makes them then. Returns how many there were.
    func holdDials(for duration: Duration) -> Int {
        var held: [DialNumber] = []
        let end = now.advanced(by: duration)
        while let next = sides[0].driver.deadline, next <= end {
            while let order = sides[0].driver.nextOrder() {
                if case .dial(let number, _) = order { held.append(number) }
            }
            now = max(now, next)
            sides[0].driver.timeout(at: now)
        }
        for number in held { connect(number, by: 0) }
        return held.count
    }

    private func connect(_ number: DialNumber, by side: Int) {
        if let (link, driver) = sides[side].driver.connected(number, origin: nil, at: now) {
            join(link, driver, by: side)
        }
    }

    /// Does what a node wants, and lets its app hear it.
    private func work(_ side: Int) -> Bool {
        var hasMoved = false
        while let order = sides[side].driver.nextOrder() {
            hasMoved = true
            guard case .dial(let number, _) = order else { continue }
            guard isReachable else {
                sides[side].driver.failed(number, at: now)
                continue
            }
            connect(number, by: side)
        }
        while sides[side].driver.nextReady() != nil { hasMoved = true }
        hasMoved = sides[side].takeEffects(at: now) || hasMoved
        sides[side].askForWhatWaits(at: now)
        for line in lines where !line.isClosed[side] {
            sides[side].verify(line.drivers[side], line.numbers[side], at: now)
        }
        return hasMoved
    }

    private func works(_ index: Int, _ side: Int) -> Bool {
        !lines[index].isClosed[side] && !lines[index].lingers[side]
    }

    private func drain(_ index: Int, _ side: Int) -> Bool {
        let driver = lines[index].drivers[side]
        var count = 0
        func write() {
            while driver.prepareWrite(at: now, isWritable: lines[index].wires[1 - side].count < 200_000) {
                var bytes: [UInt8] = []
                bytes.append(addingCapacity: RecordHeader.maximumRecordLength) { (output: inout OutputSpan<UInt8>) in
                    driver.transmit(into: &output, at: now)
                }
                count += bytes.count
                if !lines[index].isDead { lines[index].wires[1 - side] += bytes }
            }
        }
        write()
        while driver.needsTurn {
            driver.beginTurn()
            write()
        }
        while let step = driver.nextTransportStep(at: now) {
            count += 1
            switch step {
            case .endOutput: driver.outputCannotEnd()
            case .closeAfterWrites: lines[index].closesAfterWrites[side] = true
            case .close: close(index, side)
            }
        }
        if lines[index].closesAfterWrites[side], lines[index].wires[1 - side].isEmpty { close(index, side) }
        return count > 0
    }

    private func read(_ index: Int, _ side: Int, _ whole: Bool) -> Bool {
        let waiting = lines[index].wires[side].count
        let count = whole ? waiting : dice.below(waiting + 1)
        if count > 0 {
            let bytes = Array(lines[index].wires[side].prefix(count))
            lines[index].wires[side].removeFirst(count)
            lines[index].drivers[side].receive(bytes.span, at: now)
            return true
        }
        guard waiting == 0, lines[index].isClosed[1 - side], !lines[index].isDead, !lines[index].hasSeenEnd[side] else {
            return false
        }
        lines[index].hasSeenEnd[side] = true
        lines[index].drivers[side].receiveEnd(at: now)
        return true
    }

    private func close(_ index: Int, _ side: Int) {
        guard !lines[index].isClosed[side] else { return }
        lines[index].isClosed[side] = true
        lines[index].drivers[side].transportClosed(at: now)
    }

    // MARK: Time

    private var deadline: Instant? {
        var deadline: Instant?
        for side in sides { deadline = Instant.earlier(deadline, side.driver.deadline) }
        for line in lines {
            for side in 0..<2 where !line.isClosed[side] {
                deadline = Instant.earlier(deadline, line.drivers[side].deadline)
            }
        }
        return deadline
    }

    /// Lets time pass. Deadlines on the way fire.
    func advance(by duration: Duration, whole: Bool = true) {
        let target = now.advanced(by: duration)
        while let next = deadline, next <= target {
            now = max(now, next)
            for side in sides where side.driver.deadline.map({ $0 <= now }) ?? false { side.driver.timeout(at: now) }
            for line in lines {
                for side in 0..<2 where !line.isClosed[side] && line.drivers[side].deadline.map({ $0 <= now }) ?? false
                {
                    line.drivers[side].timeout(at: now)
                }
            }
            if whole { settle() } else { carry(whole: false) }
        }
        now = target
        if whole { settle() } else { carry(whole: false) }
    }
}
