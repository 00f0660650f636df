import MultipeerCrypto
import MultipeerWire

/// Which port of the remote peer's host a path leads to, and whether it holds (SPEC §26.5).
///
/// It decides when to ask, and which answers count. Its owner sends the probes.
struct PathProbing {
    /// A challenge that was sent.
    private struct Challenge {
        let bytes: UInt64
        let port: UInt16
        let went: Instant
    }

    /// Asking a port that does not answer yet.
    private struct Asking {
        let began: Instant
        /// How many challenges have gone.
        var count = 0
        /// When the next one goes; after the last one, when the path rests.
        var due: Instant

        /// Whether all have gone. Then the path rests, wanted or not.
        var isOver: Bool { count == PathProbing.times.count }
    }

    /// When the challenges of ``Asking`` go, counted from its beginning.
    private static let times: [Duration] = [
        .zero, .milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2), .seconds(15),
    ]
    /// How long an answer counts.
    private static let patience: Duration = .seconds(3)
    private static let remembered = 4
    private static let holding: Duration = .seconds(45)
    private static let wanting: Duration = .seconds(300)
    private static let pause: Duration = .seconds(15)
    private static let firstRest: Duration = .seconds(60)
    private static let longestRest: Duration = .seconds(3_600)
    /// How many probes of the peer are answered in a second (R26.5-3).
    private static let mostAnswers = 8

    let isInitiator: Bool
    /// The port of the path; of a responder nil until it was asked from one.
    private(set) var port: UInt16?
    /// How often the path has had another port.
    private(set) var moves = 0
    /// From where the probe with the greatest counter has come that asks.
    private var asked: (counter: UInt64, port: UInt16)?
    /// Whether an answer has come from the port.
    private(set) var isProved = false
    private var random: DatagramRandomness
    /// When the last challenge went that was answered.
    private var answeredAt: Instant?
    /// When the next challenge goes while the path holds.
    private var nextPause: Instant
    private var challenges: [Challenge] = []
    private var asking: Asking?
    private var wantedUntil: Instant
    private var restsUntil: Instant?
    /// How long the last rest was, and when it has ended; nil if a report has come since.
    private var lastRest: (length: Duration, end: Instant)?
    private var answers = RateWindow(limit: mostAnswers, length: .seconds(1))

    /// - Parameter port: The port in the responder's DATAGRAMS, if the local peer is the initiator.
    init(port: UInt16?, random: DatagramRandomness, at now: Instant) {
        isInitiator = port != nil
        self.port = port
        self.random = random
        wantedUntil = now.advanced(by: Self.wanting)
        nextPause = now
    }

    // MARK: State

    /// Whether messages go over the path.
    func holds(at now: Instant) -> Bool {
        guard isProved, restsUntil == nil, let answeredAt else { return false }
        return now < answeredAt.advanced(by: Self.holding)
    }

    /// A message has gone or come, over the path or over the link.
    mutating func noteUse(at now: Instant) {
        // One that was not wanted in between is asked at once.
        if now >= wantedUntil, asking?.isOver == false { asking = nil }
        wantedUntil = now.advanced(by: Self.wanting)
    }

    /// A report shows that messages arrive.
    mutating func noteReport() { lastRest = nil }

    /// Nothing comes back for a while, so the path is not used for longer and longer times.
    mutating func rest(at now: Instant) {
        asking = nil
        var length = Self.firstRest
        if let lastRest, now < lastRest.end.advanced(by: Self.wanting) {
            length = min(lastRest.length * 2, Self.longestRest)
        }
        let end = now.advanced(by: length)
        (lastRest, restsUntil) = ((length, end), end)
    }

    /// No report comes, and so the port may lead to nobody any more.
    mutating func doubt(at now: Instant) {
        (isProved, answeredAt) = (false, nil)
        followAsked(at: now)
    }

    /// Too long no report has come: the peer is asked, and does not wait for the next time.
    mutating func askSoon(at now: Instant) { nextPause = now }

    /// As long as none is proved, a responder's port is that from which it was asked last.
    private mutating func followAsked(at now: Instant) {
        if !isInitiator, !isProved, let asked { move(to: asked.port, at: now) }
    }

    /// The path has this port. A rest was for the one before.
    private mutating func move(to port: UInt16, at now: Instant) {
        guard port != self.port else { return }
        moves += 1
        (self.port, asking) = (port, nil)
        guard restsUntil != nil else { return }
        restsUntil = nil
        if let lastRest { self.lastRest = (lastRest.length, now) }
    }

    // MARK: Answers

    /// A probe that asks has come. Returns the challenge of the answer to it; nil if there is none, because there were too many.
    /// - Parameters:
    ///   - counter: The probe's.
    ///   - hasAnswered: Whether it answers as well, so that the answer to it asks nothing: no chain is longer than three.
    mutating func answer(to port: UInt16, counter: UInt64, hasAnswered: Bool, at now: Instant) -> UInt64? {
        guard answers.take(1, at: now) == 1 else { return nil }
        if counter >= asked?.counter ?? 0 { asked = (counter, port) }
        followAsked(at: now)
        let isSettled = port == self.port && (holds(at: now) || restsUntil != nil)
        guard !hasAnswered, !isSettled else { return 0 }
        if port == self.port, asking == nil {
            asking = Asking(began: now, count: 1, due: dueAfter(1, since: now, at: now))
        }
        return challenge(for: port, at: now)
    }

    /// A probe that answers has come. Returns the round trip if the path has another port now, or the first one that is proved.
    mutating func receive(answer: UInt64, from port: UInt16, at now: Instant) -> Duration? {
        let known = challenges.first { challenge in
            challenge.bytes == answer && challenge.port == port
                && now <= challenge.went.advanced(by: Self.patience)
        }
        guard let known else { return nil }
        let isNew = !isProved || port != self.port
        move(to: port, at: now)
        (isProved, asking) = (true, nil)
        answeredAt = isNew ? known.went : max(answeredAt ?? known.went, known.went)
        return isNew ? now.duration(since: known.went) : nil
    }

    // MARK: Asking

    /// When something is due; nil if nothing is.
    func deadline(at now: Instant) -> Instant? {
        if let restsUntil { return restsUntil }
        if let asking, asking.isOver { return asking.due }
        guard now < wantedUntil, port != nil else { return nil }
        let next: Instant
        if holds(at: now), let answeredAt {
            next = min(nextPause, answeredAt.advanced(by: Self.holding))
        } else {
            next = asking?.due ?? now
        }
        return next < wantedUntil ? next : nil
    }

    /// Takes a step that is due, and returns the challenge that goes to the path's port; nil if nothing goes.
    mutating func ask(at now: Instant) -> UInt64? {
        if let end = restsUntil {
            guard end <= now else { return nil }
            restsUntil = nil
            doubt(at: now)
        }
        if let asking, asking.isOver {
            if asking.due <= now { rest(at: now) }
            return nil
        }
        guard now < wantedUntil, let port else {
            asking = nil
            return nil
        }
        guard !holds(at: now) else {
            return nextPause <= now ? challenge(for: port, at: now) : nil
        }
        var current = asking ?? Asking(began: now, due: now)
        defer { asking = current }
        guard current.due <= now else { return nil }
        current.count += 1
        current.due = dueAfter(current.count, since: current.began, at: now)
        return challenge(for: port, at: now)
    }

    /// When the next challenge goes once so many have gone, or when the path rests.
    private mutating func dueAfter(_ count: Int, since began: Instant, at now: Instant) -> Instant {
        count < Self.times.count
            ? began.advanced(by: random.vary(Self.times[count])) : now.advanced(by: Self.patience)
    }

    private mutating func challenge(for port: UInt16, at now: Instant) -> UInt64 {
        let bytes = random.challenge()
        if challenges.count == Self.remembered { challenges.removeFirst() }
        challenges.append(Challenge(bytes: bytes, port: port, went: now))
        nextPause = now.advanced(by: random.vary(Self.pause))
        return bytes
    }
}

/// The randomness of a path: challenges, and times that differ from path to path.
struct DatagramRandomness {
    private var source: any RandomSource
    /// Whether times vary. They do not in test vectors.
    private let varies: Bool

    init(_ source: any RandomSource, varies: Bool) { (self.source, self.varies) = (source, varies) }

    /// A new challenge (R26.5-2). Zero asks nothing, so it is none.
    mutating func challenge() -> UInt64 {
        var value: UInt64 = 0
        while value == 0 { value = source.bytes(8).span.u64(at: 0) }
        return value
    }

    /// The duration times a factor from 0.75 to 1.25.
    mutating func vary(_ duration: Duration) -> Duration {
        guard varies else { return duration }
        let drawn = source.bytes(2).reduce(0) { value, byte in value << 8 | Int(byte) }
        return duration * (49_152 + drawn / 2) / 65_536
    }
}
