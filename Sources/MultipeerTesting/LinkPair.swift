public import MultipeerCore

/// Two linked peers in one process, on a virtual clock, over a stream that can be cut into pieces, tampered with or lost.
public struct LinkPair: ~Copyable {
    /// How bytes arrive.
    public enum Delivery: Hashable, Sendable {
        /// As they were sent.
        case whole
        /// In pieces of this many bytes.
        case pieces(Int)
        /// In pieces of random length, by this seed.
        case random(seed: UInt64)
    }

    public var initiator: SimulatedPeer
    public var responder: SimulatedPeer
    /// The virtual time.
    public private(set) var now: Instant
    /// How bytes arrive.
    public var delivery = Delivery.whole {
        didSet {
            if case .random(let seed) = delivery { dice = SeededRandomSource(seed: seed) }
        }
    }
    /// Changes what the initiator sent before the responder gets it.
    public var tamperWithInitiator: ((inout [UInt8]) -> Void)?
    /// Changes what the responder sent before the initiator gets it.
    public var tamperWithResponder: ((inout [UInt8]) -> Void)?
    /// All that the initiator sent, before tampering.
    public private(set) var fromInitiator: [UInt8] = []
    /// All that the responder sent, before tampering.
    public private(set) var fromResponder: [UInt8] = []
    private var dice: SeededRandomSource

    /// Joins two peers that begin at `now`.
    public init(initiator: consuming SimulatedPeer, responder: consuming SimulatedPeer, now: Instant) {
        self.initiator = initiator
        self.responder = responder
        self.now = now
        dice = SeededRandomSource(seed: 7)
    }

    /// Carries bytes both ways until nobody has more to say, or `rounds` are over. Returns whether it fell silent.
    @discardableResult
    public mutating func run(rounds: Int = 10_000) -> Bool {
        for _ in 0..<rounds {
            initiator.drain(at: now)
            responder.drain(at: now)
            var fromInitiator = initiator.transmit(at: now)
            var fromResponder = responder.transmit(at: now)
            if fromInitiator.isEmpty, fromResponder.isEmpty { return settle() }
            self.fromInitiator += fromInitiator
            self.fromResponder += fromResponder
            tamperWithInitiator?(&fromInitiator)
            tamperWithResponder?(&fromResponder)
            for piece in cut(fromInitiator) { responder.link.receive(piece.span, at: now) }
            for piece in cut(fromResponder) { initiator.link.receive(piece.span, at: now) }
        }
        return false
    }

    /// The transport carries the end of one peer's stream to the other, if that peer is done sending.
    public mutating func carryEnds() {
        if initiator.link.isOutputFinished { responder.link.receiveEnd(at: now) }
        if responder.link.isOutputFinished { initiator.link.receiveEnd(at: now) }
        run()
    }

    /// The transport is lost for both.
    public mutating func cut() {
        initiator.link.receiveEnd(at: now)
        responder.link.receiveEnd(at: now)
        run()
    }

    /// Lets time pass; deadlines that it reaches fire in order.
    public mutating func advance(by duration: Duration) {
        let target = now.advanced(by: duration)
        while let next = nextDeadline, next <= target {
            now = max(now, next)
            fireDeadlines()
            run()
        }
        now = target
        run()
    }

    private var nextDeadline: Instant? {
        switch (initiator.link.deadline, responder.link.deadline) {
        case (let one?, let other?): min(one, other)
        case (let one?, nil): one
        case (nil, let other): other
        }
    }

    private mutating func fireDeadlines() {
        if let deadline = initiator.link.deadline, deadline <= now { initiator.link.timeout(at: now) }
        if let deadline = responder.link.deadline, deadline <= now { responder.link.timeout(at: now) }
    }

    private mutating func settle() -> Bool {
        initiator.drain(at: now)
        responder.drain(at: now)
        return !initiator.link.hasOutput && !responder.link.hasOutput
    }

    private mutating func cut(_ bytes: [UInt8]) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let length: Int =
                switch delivery {
                case .whole: rest.count
                case .pieces(let length): max(length, 1)
                case .random: 1 + dice.next(below: 200)
                }
            pieces.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return pieces
    }
}
