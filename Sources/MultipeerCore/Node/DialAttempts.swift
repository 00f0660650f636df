import MultipeerCrypto
import MultipeerWire

/// An attempt of a node to reach a member at one address.
struct DialAttempt: Hashable, Sendable {
    let number: DialNumber
    let member: IdentityKey
    let session: SessionID
    /// Whether there had been an open link to the member.
    let isKnown: Bool
    /// Where it is; nil if nobody counts what is tried there.
    let site: HostRests.Site?
    /// When its place is free again, whatever has become of it. The node gives it up, if nobody has connected by then.
    let deadline: Instant
    /// The address.
    let address: MemberAddress
}

/// The attempts that are under way: each for a fixed time, unless the expected PROOF has verified before (R14.8-5). A
/// place that became free as soon as an attempt fails would show the member that has listed the address whether
/// something listens there.
struct DialAttempts: Sendable {
    /// How long a connection may take, and an attempt counts.
    static let patience: Duration = .seconds(4)

    /// An attempt that has its place.
    private struct UnderWay {
        let attempt: DialAttempt
        /// Whether a connection is awaited still.
        var isConnecting = true
        /// Whether what becomes of it says nothing any more of the member's round.
        var isForgotten = false
    }

    private(set) var bounds: DialBounds
    /// The oldest first. They end in this order.
    private var attempts: [UnderWay] = []
    private var lastNumber: UInt64 = 0

    init(rules: AddressRules) {
        bounds = DialBounds(rules: rules)
    }

    /// Which addresses are dialled from now on.
    mutating func setRules(_ rules: AddressRules) { bounds.rules = rules }

    /// When the next one has had its time.
    var deadline: Instant? { attempts.first?.attempt.deadline }

    /// Begins one, for which there must be room.
    mutating func begin(_ target: DialTarget, in session: SessionID, isKnown: Bool, at now: Instant) -> DialAttempt {
        let attempt = DialAttempt(
            number: takeNumber(), member: target.member, session: session, isKnown: isKnown,
            site: bounds.site(of: target), deadline: now.advanced(by: Self.patience),
            address: target.address)
        attempts.append(UnderWay(attempt: attempt))
        bounds.begin(target, isKnown: isKnown, at: now)
        return attempt
    }

    /// A number for a connection that is asked for.
    mutating func takeNumber() -> DialNumber {
        lastNumber += 1
        return DialNumber(rawValue: lastNumber)
    }

    /// The connection is there; the attempt continues. Nil if it was given up.
    mutating func connected(_ number: DialNumber) -> DialAttempt? {
        guard let index = index(of: number), attempts[index].isConnecting else { return nil }
        attempts[index].isConnecting = false
        return attempts[index].attempt
    }

    /// The attempt has not led to the member, or is cancelled. It keeps its place for its time.
    mutating func failed(_ number: DialNumber) {
        if let index = index(of: number) { attempts[index].isConnecting = false }
    }

    /// The expected PROOF has verified.
    mutating func reached(_ attempt: DialAttempt) {
        if let site = attempt.site { bounds.reached(site) }
        guard let index = index(of: attempt.number) else { return }
        attempts.remove(at: index)
        bounds.end(isKnown: attempt.isKnown)
    }

    /// The app asks for a member: its hosts are tried as if nothing had been.
    mutating func renew(_ target: DialTarget) {
        if let site = bounds.site(of: target) { bounds.reached(site) }
    }

    /// What becomes of the attempts for a member says nothing any more: it was reached, is not wanted, or has begun a
    /// new run. Those that continue keep their places.
    mutating func forget(_ member: IdentityKey, in session: SessionID) {
        for index in attempts.indices where attempts[index].attempt.isFor(member, in: session) {
            attempts[index].isForgotten = true
        }
    }

    /// Ends one that has had its time. Tells whether it is to be cancelled, and whether it has failed.
    mutating func endOverdue(at now: Instant) -> (attempt: DialAttempt, isConnecting: Bool, hasFailed: Bool)? {
        guard let deadline, deadline <= now else { return nil }
        let ended = attempts.removeFirst()
        bounds.end(isKnown: ended.attempt.isKnown)
        return (ended.attempt, ended.isConnecting, !ended.isForgotten)
    }

    /// Attempts for a member without a connection, the oldest first.
    func connecting(to member: IdentityKey, in session: SessionID) -> [DialNumber] {
        attempts.filter { $0.isConnecting && $0.attempt.isFor(member, in: session) }.map(\.attempt.number)
    }

    /// Whether a running attempt of the round has its place for a member.
    func hasAny(to member: IdentityKey, in session: SessionID) -> Bool {
        attempts.contains { !$0.isForgotten && $0.attempt.isFor(member, in: session) }
    }

    private func index(of number: DialNumber) -> Int? { attempts.firstIndex { $0.attempt.number == number } }
}

extension DialAttempt {
    fileprivate func isFor(_ member: IdentityKey, in session: SessionID) -> Bool {
        self.member == member && self.session == session
    }
}
