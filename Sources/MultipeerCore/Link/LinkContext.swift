import MultipeerCertificates
import MultipeerCrypto
import MultipeerWire

/// What all phases of a link work with: the time, the outbox, the effects, the one deadline.
struct LinkContext {
    let role: LinkRole
    private let environment: LinkEnvironment
    /// Of the configuration; here because every record asks.
    let tracesRecords: Bool
    /// When the input that is being handled happened.
    var now: Instant
    /// When the phase has taken too long.
    var deadline: Instant?
    var outbox = Outbox()
    var effects = EffectQueue()
    /// An invitation that the app asked for before the peer was identified.
    var pendingInvitation: OutgoingInvitation?
    private var lastToken: UInt64 = 0

    init(role: LinkRole, configuration: LinkConfiguration, random: any RandomSource, now: Instant) {
        self.role = role
        tracesRecords = configuration.tracesRecords
        environment = LinkEnvironment(configuration: configuration, random: random)
        self.now = now
    }

    var configuration: LinkConfiguration { environment.configuration }
    /// Where unpredictable bytes come from. Nobody else draws from it.
    var random: any RandomSource {
        get { environment.random }
        nonmutating set { environment.random = newValue }
    }
    var crypto: CryptoProvider { configuration.crypto }
    var timeouts: LinkTimeouts { configuration.timeouts }

    /// The longest message that this side takes; SPEC §8.1 knows no peer that takes none.
    var maximumMessage: UInt64 { UInt64(max(configuration.maximumMessage, 1)) }

    mutating func makeToken() -> LinkToken {
        lastToken += 1
        return LinkToken(number: lastToken)
    }

    /// Queues a frame, and returns it as sent.
    @discardableResult
    mutating func send(_ frame: some ControlFrame) -> [UInt8] {
        let bytes = frame.encoded()
        outbox.control.append(bytes)
        return bytes
    }

    /// Whether an invitation of the app has not gone out: it waits for the peer to be identified, or for room on the
    /// transport.
    var holdsUnsentInvitation: Bool { pendingInvitation != nil || outbox.control.lastType == .invite }

    /// Removes INVITE from what waits to be sent. Nothing is sent after it before the peer has answered, so that it can
    /// only be last. Returns whether it was there.
    @discardableResult
    mutating func takeBackInvitation() -> Bool {
        guard outbox.control.lastType == .invite else { return false }
        outbox.control.removeLast()
        return true
    }

    mutating func setDeadline(after duration: Duration) {
        deadline = now.advanced(by: duration)
    }

    func makeDigester() throws(LinkFailureCause) -> any Digester {
        do {
            return try crypto.bulkDigest.makeDigester()
        } catch {
            throw .crypto(error)
        }
    }
}

/// What a link was given. A class, so that the noncopyable link holds no existential (docs/decisions/0004).
private final class LinkEnvironment {
    let configuration: LinkConfiguration
    var random: any RandomSource

    init(configuration: LinkConfiguration, random: any RandomSource) {
        self.configuration = configuration
        self.random = random
    }
}

/// What waits to be sent, payload apart.
struct Outbox: Sendable {
    /// Magic and hello, or refusal.
    var clear: [UInt8] = []
    /// Whole control frames.
    var control = FrameQueue()

    var isEmpty: Bool { clear.isEmpty && control.isEmpty }
}

/// Encoded frames in order.
struct FrameQueue: Sendable {
    private var frames: [[UInt8]] = []
    private var head = 0

    var isEmpty: Bool { head == frames.count }

    mutating func append(_ frame: [UInt8]) { frames.append(frame) }

    mutating func removeAll() { self = FrameQueue() }

    /// The type of the last frame that waits. The types of this protocol are encoded in one byte (SPEC §6.3).
    var lastType: FrameType? {
        guard head < frames.count, let first = frames.last?.first else { return nil }
        return FrameType(rawValue: UInt64(first))
    }

    /// Removes the last frame that waits.
    mutating func removeLast() {
        guard head < frames.count else { return }
        frames.removeLast()
        if isEmpty { removeAll() }
    }

    /// Writes whole frames while they fit into `room`. Returns whether it wrote any.
    @_lifetime(output: copy output)
    mutating func write(room: Int, to output: inout OutputSpan<UInt8>) -> Bool {
        let start = output.count
        while head < frames.count, frames[head].count <= room - (output.count - start) {
            let frame = frames[head]
            output.append(copying: frame.span)
            head += 1
        }
        if isEmpty { removeAll() }
        return output.count > start
    }

    /// Whether the first frame fits.
    func fits(room: Int) -> Bool { head < frames.count && frames[head].count <= room }
}

/// Effects in order; nothing follows the end but traces.
struct EffectQueue: Sendable {
    private var effects: [LinkEffect] = []
    private var head = 0
    private(set) var hasEnded = false

    mutating func emit(_ effect: LinkEffect) {
        if hasEnded {
            guard case .trace = effect else { return }
        }
        if case .closed = effect { hasEnded = true }
        effects.append(effect)
    }

    mutating func next() -> LinkEffect? {
        guard head < effects.count else { return nil }
        defer {
            head += 1
            if head == effects.count {
                effects.removeAll(keepingCapacity: effects.count < 64)
                head = 0
            }
        }
        return effects[head]
    }
}
