import MultipeerCrypto
import MultipeerWire

/// An attempt of a node to reach a member at one address.
struct DialAttempt: Hashable, Sendable {
    let number: DialNumber
    let member: IdentityKey
    let session: SessionID
    /// Whether there had been an open link to the member.
    let isKnown: Bool
    /// When the node gives it up, if nobody has connected by then.
    let deadline: Instant
}

/// The attempts that are under way (R14.8-5): until the expected PROOF has verified, or it is clear that it will not.
struct DialAttempts: Sendable {
    /// How long a connection may take.
    static let patience: Duration = .seconds(10)

    private(set) var bounds: DialBounds
    private var attempts: [DialNumber: DialAttempt] = [:]
    /// Those for which there is no connection yet.
    private var connecting: [DialNumber] = []
    private var lastNumber: UInt64 = 0

    init(rules: AddressRules) {
        bounds = DialBounds(rules: rules)
    }

    /// Which addresses are dialled from now on.
    mutating func setRules(_ rules: AddressRules) { bounds.rules = rules }

    /// When the next one is given up. They are as old as they stand here.
    var deadline: Instant? { connecting.first.flatMap { attempts[$0]?.deadline } }

    /// Begins one, for which there must be room.
    mutating func begin(
        _ address: MemberAddress, of member: IdentityKey, in session: SessionID, isKnown: Bool, at now: Instant
    ) -> DialAttempt {
        lastNumber += 1
        let attempt = DialAttempt(
            number: DialNumber(rawValue: lastNumber), member: member, session: session, isKnown: isKnown,
            deadline: now.advanced(by: Self.patience))
        attempts[attempt.number] = attempt
        connecting.append(attempt.number)
        bounds.begin(address, for: member, isKnown: isKnown, at: now)
        return attempt
    }

    /// The connection is there; the attempt goes on. Nil if it was given up.
    mutating func connected(_ number: DialNumber) -> DialAttempt? {
        guard let attempt = attempts[number], connecting.contains(number) else { return nil }
        connecting.removeAll { $0 == number }
        return attempt
    }

    /// The attempt is over, well or not. Nil if it was over before.
    @discardableResult
    mutating func end(_ number: DialNumber) -> DialAttempt? {
        guard let attempt = attempts.removeValue(forKey: number) else { return nil }
        connecting.removeAll { $0 == number }
        bounds.end(isKnown: attempt.isKnown)
        return attempt
    }

    /// Ends one that has taken too long.
    mutating func endOverdue(at now: Instant) -> DialAttempt? {
        guard let deadline, deadline <= now, let number = connecting.first else { return nil }
        return end(number)
    }

    /// Attempts for a member without a connection, the oldest first.
    func connecting(to member: IdentityKey, in session: SessionID) -> [DialNumber] {
        connecting.filter { attempts[$0]?.member == member && attempts[$0]?.session == session }
    }

    /// Whether one is under way for a member.
    func hasAny(to member: IdentityKey, in session: SessionID) -> Bool {
        attempts.values.contains { $0.member == member && $0.session == session }
    }
}
