import MultipeerCrypto
import MultipeerWire

/// What two peers say to each other over an open link (SPEC §13). It knows no keys, no records and no other link: it
/// takes frames, writes frames, and emits effects.
///
/// A value that cannot be copied, and stays where it is, in ``OpenLink``: every frame and every record changes it in place.
/// As a class it asked the runtime for leave at each property, which was a third of the cost of a small message.
struct Association: ~Copyable {
    /// What an association needs to know.
    struct Settings {
        /// The longest message that the local peer takes, in bytes.
        let maximumMessage: UInt64
        /// Whether the app is asked for memory before a message that does not fit is granted credit. Otherwise there is
        /// always enough.
        let asksForMemory: Bool
        /// When a peer that says nothing is asked, and given up; nil for never.
        let keepAlive: KeepAliveTimes?
        /// How much of messages, as credit counts them, the app may leave untaken.
        let messageWindow: UInt64
        /// How many bytes of each file the app may leave untaken.
        let fileWindow: UInt64
        /// Which numbers the local peer gives its streams and files.
        let numbers: NumberParity
        /// SHA-256 of files.
        let digest: any BulkDigest
        /// Whether the association may outlive its link.
        var mayResume = false
    }

    /// How many streams, and how many files, a peer may have begun that have not come back (SPEC §13.3, §13.5).
    static let firstCount: UInt64 = 32

    let asksForMemory: Bool
    /// Memory for streams and files beyond what each has by right.
    var bulkMemory = BulkMemory()
    /// What messages could use beyond that, where there is memory; nothing once it has been claimed.
    private var unclaimedWindow: UInt64
    let fileWindow: UInt64
    private let digest: any BulkDigest
    var incoming: IncomingMessages
    var outgoing = OutgoingMessages()
    /// What the peer has not acknowledged.
    var kept: KeptFrames
    /// What the local peer has to acknowledge.
    var ack = AckState()
    var keepAlive: KeepAlive
    /// Control frames that wait, in order.
    var control = ControlQueue()

    var numbers: NumberSpace
    /// What is live: a number is in one of these, or nothing has it.
    var streams: [UInt64: StreamItem] = [:]
    var outgoingFiles: [UInt64: OutgoingFile] = [:]
    var incomingFiles: [UInt64: IncomingFile] = [:]
    /// Streams of the peer that have ended, and of which the app has not taken everything. Openings bound them (R13.5-1).
    var endedStreams: [UInt64: StreamItem] = [:]
    /// Files of the peer that end: offers bound them.
    var fileEnds: [UInt64: PendingEnd] = [:]
    /// What the peer uses of openings and offers, and how many have come back.
    var openings = ReceiveWindow(limit: firstCount, window: firstCount)
    var offers = ReceiveWindow(limit: firstCount, window: firstCount)
    var returnedOpenings: UInt64 = 0
    var returnedOffers: UInt64 = 0
    /// What the local peer uses of them.
    var openingsOut = SendWindow(limit: firstCount)
    var offersOut = SendWindow(limit: firstCount)
    /// What waits to send bulk, in turns.
    var ring = BulkRing()
    var share = FairShare()
    /// Numbers of streams and files for which CREDIT is due.
    var dueCredits: [UInt64] = []
    /// Whether the app still gets messages (SPEC §17).
    var takesMessages = true
    /// Whether CLOSE is sent: nothing is granted any more.
    var isClosing = false

    /// What is missing before an offer comes back.
    struct PendingEnd {
        /// The number has ended.
        var isOver = false
        /// The app has heard of it.
        var isTold = false
    }

    init(_ settings: Settings, now: Instant) {
        kept = KeptFrames(keeps: settings.mayResume)
        asksForMemory = settings.asksForMemory
        fileWindow = settings.fileWindow
        digest = settings.digest
        numbers = NumberSpace(own: settings.numbers)
        let beyond = settings.messageWindow - min(settings.messageWindow, IncomingMessages.base)
        unclaimedWindow = asksForMemory ? beyond : 0
        incoming = IncomingMessages(
            maximum: settings.maximumMessage, window: asksForMemory ? IncomingMessages.base : settings.messageWindow)
        keepAlive = KeepAlive(times: settings.keepAlive, now: now)
    }

    /// What has a number now (SPEC §13.2).
    func live(_ id: UInt64) -> LiveKind? {
        if streams[id] != nil { return .stream }
        return outgoingFiles[id] != nil || incomingFiles[id] != nil ? .file : nil
    }

    func makeDigester() throws(LinkFailureCause) -> any Digester {
        do {
            return try digest.makeDigester()
        } catch {
            throw .crypto(error)
        }
    }

    // MARK: Time

    /// When to call ``timeout(at:into:)``.
    var deadline: Instant? {
        var earliest = ack.deadline
        if let other = keepAlive.deadline { earliest = min(earliest ?? other, other) }
        if let other = incoming.deadline { earliest = min(earliest ?? other, other) }
        return earliest
    }

    /// Whether that time has come. Every input asks.
    func isDue(at now: Instant) -> Bool {
        if let deadline = ack.deadline, deadline <= now { return true }
        if let deadline = keepAlive.deadline, deadline <= now { return true }
        if let deadline = incoming.deadline, deadline <= now { return true }
        return false
    }

    /// Whether the peer has been silent too long, as far as its records were read.
    func isSilent(at now: Instant) -> Bool { keepAlive.isSilent(at: now) }

    mutating func excuseSilence(at now: Instant) { keepAlive.heard(at: now) }

    /// Does what is due.
    /// - Throws: `silent`.
    mutating func timeout(
        at now: Instant, judgesSilence: Bool = true, into effects: inout EffectQueue
    ) throws(LinkFailureCause) {
        ack.timeout(at: now)
        if incoming.isStalled(at: now) { effects.emit(.messageStalled) }
        try keepAlive.timeout(at: now, judgesSilence: judgesSilence)
    }

    // MARK: Requests

    /// Queues a message.
    mutating func send(_ message: [UInt8]) -> MessageTag { outgoing.append(message) }

    /// Takes a message back that has not been begun, which has then sent nothing (SPEC §15.1).
    mutating func takeBack(_ tag: MessageTag, into effects: inout EffectQueue) -> Bool {
        guard outgoing.takeBack(tag) else { return false }
        effects.emit(.messages(MessageRange(first: tag, last: tag), .notSent))
        return true
    }

    /// The app has taken messages that used so much credit.
    mutating func releaseCredit(_ credit: UInt64, at now: Instant, into effects: inout EffectQueue) {
        incoming.releaseCredit(credit)
        // The app is fast enough to empty half of what messages have by right.
        if unclaimedWindow > 0, incoming.isCreditDue {
            bulkMemory.claim(unclaimedWindow, for: BulkClaim.messages)
            unclaimedWindow = 0
        }
        settleCredit(at: now, into: &effects)
    }

    /// The app takes no more messages: what comes counts as taken for credit, and in no ACK (SPEC §17).
    mutating func dropMessages() { takesMessages = false }

    /// The app has memory for a message that wanted it.
    mutating func grant(memory count: UInt64, at now: Instant, into effects: inout EffectQueue) {
        incoming.receive(memory: count)
        settleCredit(at: now, into: &effects)
    }

    /// The app has memory for messages, a stream or a file that could use it. What has ended needs none.
    mutating func grant(bulk count: UInt64, for claim: BulkClaim) {
        let count = min(count, claim.count)
        if claim.id == BulkClaim.messages {
            incoming.widen(by: count)
        } else if let stream = streams[claim.id] {
            stream.receiver.grow(by: count)
            queueCredit(claim.id, stream)
        } else if let file = incomingFiles[claim.id], !file.isCancelled {
            file.grow(by: count)
            queueCredit(file)
        } else {
            return
        }
        bulkMemory.grant(count, for: claim.id)
    }

    /// Grants what may be granted, and says what memory is lacking or free again.
    mutating func settleCredit(at now: Instant, into effects: inout EffectQueue) {
        guard !isClosing else { return }
        while case .wanted(let count) = incoming.grant(at: now) {
            guard !asksForMemory else {
                effects.emit(.memoryWanted(count))
                break
            }
            incoming.receive(memory: count)
        }
        let returned = incoming.releaseMemory()
        if returned > 0, asksForMemory { effects.emit(.memoryReturned(returned)) }
    }

    // MARK: The end

    /// The app closes: messages that wait go out first. Whether any do.
    var hasQueued: Bool { !outgoing.isEmpty }

    /// The app closes: streams and files that have not ended are given up (R16.1-5).
    mutating func abandon(into effects: inout EffectQueue) {
        interruptFiles(into: &effects)
        abandonStreams()
    }

    /// The link is over: says what has become of all messages, in their order (R13.6-3).
    mutating func end(into effects: inout EffectQueue) {
        endStreams(into: &effects)
        endFiles()
        for range in kept.takeMessages() { effects.emit(.messages(range, .inDoubt)) }
        for range in outgoing.dropWaiting() { effects.emit(.messages(range, .notSent)) }
    }
}
