public import MultipeerCore
public import MultipeerCrypto
public import MultipeerScriptedPeer
import MultipeerWire

/// An honest link against a `ScriptedPeer`, on a virtual clock.
public final class Duel {
    /// The honest peer.
    public var honest: SimulatedPeer
    /// The other.
    public let evil: ScriptedPeer
    /// The honest peer's identity key.
    public let honestKey: IdentityKey
    /// The virtual time.
    public private(set) var now: Instant
    /// All bytes that the honest peer sent.
    public private(set) var sent: [UInt8] = []

    /// Sets them against each other.
    public init(honest: consuming SimulatedPeer, key: IdentityKey, evil: ScriptedPeer, now: Instant) {
        self.honest = honest
        honestKey = key
        self.evil = evil
        self.now = now
    }

    /// Carries bytes both ways until both are silent.
    public func exchange() throws {
        for _ in 0..<10_000 {
            honest.drain(at: now)
            let (fromHonest, fromEvil) = (honest.transmit(at: now), evil.flush())
            sent += fromHonest
            if fromHonest.isEmpty, fromEvil.isEmpty { return honest.drain(at: now) }
            honest.link.receive(fromEvil.span, at: now)
            try evil.receive(fromHonest)
        }
    }

    /// Lets time pass. Deadlines on the way fire.
    public func advance(by duration: Duration) throws {
        let target = now.advanced(by: duration)
        while let deadline = honest.link.deadline, deadline <= target {
            now = max(now, deadline)
            honest.link.timeout(at: now)
            try exchange()
        }
        now = target
    }

    /// The honest peer's process is suspended for `duration`: no deadline fires, and what comes waits.
    public func standStill(for duration: Duration) { now = now.advanced(by: duration) }

    /// The evil peer's stream ends.
    public func cut() throws {
        try exchange()
        honest.link.receiveEnd(at: now)
        try exchange()
    }

    /// How far the honest peer is.
    public var stage: LinkStage { honest.link.stage }
    /// Why it failed, if it did.
    public var failure: LinkFailure? { honest.failure }
    /// Why it failed, without the stage.
    public var cause: LinkFailureCause? { honest.failure?.cause }

    /// How it ended, if it did.
    public var end: LinkEnd? { honest.end }
    /// Every effect of the honest peer so far.
    public var effects: [LinkEffect] { honest.effects }
    /// The messages that the honest peer was given.
    public var messages: [[UInt8]] { honest.messages }
    /// When the honest peer's time is up.
    public var deadline: Instant? { honest.link.deadline }
    /// Whether the honest peer needs its transport no longer.
    public var isFinished: Bool { honest.link.isFinished }
    /// Whether the honest peer has nothing more to send.
    public var isOutputFinished: Bool { honest.link.isOutputFinished }

    /// The token of the last question of its kind.
    public var invitationToken: LinkToken? {
        for case .invited(let token, _) in honest.effects.reversed() { return token }
        return nil
    }

    /// The token of the last question for a verdict.
    public var judgementToken: LinkToken? {
        for case .verify(let token, _) in honest.effects.reversed() { return token }
        return nil
    }
}

extension LinkRole {
    /// The same role as the scripted peer calls it.
    public var stream: StreamRole { self == .initiator ? .initiator : .responder }
}
