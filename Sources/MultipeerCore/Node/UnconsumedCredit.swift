import MultipeerCrypto
import MultipeerWire

/// What the app has been given of one link and has not taken: messages with their 64 bytes, and bytes of streams
/// (R13.5-6).
struct UnconsumedCredit: Sendable {
    private(set) var messages: UInt64 = 0
    private var streams: [StreamID: (count: UInt64, hasEnded: Bool)] = [:]

    /// What stays when the link ends: messages, and the bytes of directions that had ended. Unfinished ones are dropped.
    var remains: UInt64 { streams.values.reduce(messages) { $1.hasEnded ? $0 + $1.count : $0 } }

    mutating func came(_ effect: LinkEffect) {
        switch effect {
        case .message(let bytes): messages += Link.messageCredit(ofLength: bytes.count)
        case .stream(.data(let stream, let bytes)): streams[stream, default: (0, false)].count += UInt64(bytes.count)
        case .stream(.ended(let stream, .complete)):
            guard let count = streams[stream]?.count else { return }
            streams[stream] = count == 0 ? nil : (count, true)
        // What has not been read of it is gone.
        case .stream(.ended(let stream, .reset)): streams[stream] = nil
        case .stream(.ended(let stream, .linkEnded)): streams[stream] = nil
        case .stream(.opened), .stream(.stopped), .stream(.writable), .stream(.mayOpen): break
        case .identified, .invited, .invitationAccepted, .verify, .verification, .opened, .messages, .probeAnswered,
            .memoryWanted, .memoryReturned, .messageStalled, .datagramPath, .datagram, .incomingFile, .outgoingFile,
            .closed,
            .trace:
            break
        }
    }

    mutating func releaseCredit(messages credit: UInt64) { messages -= min(credit, messages) }

    mutating func releaseCredit(_ count: Int, of stream: StreamID) {
        guard var known = streams[stream] else { return }
        known.count -= min(UInt64(clamping: count), known.count)
        streams[stream] = known.count == 0 && known.hasEnded ? nil : known
    }
}

/// What ended links have left untaken, for each peer and session (R13.5-6).
struct UnconsumedCreditByLink: Sendable {
    /// Beyond this there is no new link.
    static let limit: UInt64 = 131_072

    /// The owner of the untaken bytes.
    struct Owner: Hashable {
        let member: IdentityKey
        let session: SessionID
    }

    private var links: [LinkNumber: (owner: Owner, payload: UnconsumedCredit)] = [:]
    private var sums: [Owner: UInt64] = [:]

    /// A link has ended and left something.
    mutating func add(_ payload: UnconsumedCredit, of owner: Owner, on link: LinkNumber) {
        guard payload.remains > 0 else { return }
        links[link] = (owner, payload)
        sums[owner, default: 0] += payload.remains
    }

    /// The app has taken something of a link that has ended. Returns whose it was, if less than too much is left of it now.
    mutating func releaseCredit(_ take: UnconsumedCredit.Take, on link: LinkNumber) -> Owner? {
        guard let (owner, before) = links[link] else { return nil }
        var payload = before
        payload.releaseCredit(take)
        let rest = (sums[owner] ?? 0) - (before.remains - payload.remains)
        sums[owner] = rest == 0 ? nil : rest
        links[link] = payload.remains == 0 ? nil : (owner, payload)
        return rest <= Self.limit ? owner : nil
    }

    /// Whether too much is left of a peer for another link of the session.
    func areTooMany(of member: IdentityKey, in session: SessionID) -> Bool {
        sums[Owner(member: member, session: session)] ?? 0 > Self.limit
    }
}

extension UnconsumedCredit {
    /// What the app took.
    enum Take {
        case messages(UInt64)
        case stream(StreamID, Int)
    }

    mutating func releaseCredit(_ take: Take) {
        switch take {
        case .messages(let credit): releaseCredit(messages: credit)
        case .stream(let stream, let count): releaseCredit(count, of: stream)
        }
    }
}
