import MultipeerScriptedPeer
import MultipeerWire

/// What passes over an open link (SPEC §13, §15), as the tester sees it: how much either peer may send, and what of it
/// is live. It judges the peer alone. What the tester sends is noted as far as it decodes, be it legal or not.
struct AssociationLedger {
    /// What one peer may send of one kind, and has sent.
    struct Allowance {
        var limit: UInt64
        var used: UInt64 = 0

        var room: UInt64 { limit > used ? limit - used : 0 }
    }

    /// A stream of either peer.
    struct Stream {
        let isTesters: Bool
        /// What the tester sends.
        var own: Allowance
        var hasEnded: Bool
        /// What the peer sends.
        var peers: Allowance
        var peerHasEnded: Bool
        /// The code of the peer's STREAM_STOP, and of its STREAM_RESET.
        var stopCode: UInt64?
        var resetCode: UInt64?
    }

    /// A file that the tester offers. What is used of its allowance is a position.
    struct File {
        let size: UInt64
        let hasTag: Bool
        var allowance = Allowance(limit: 0)
        /// What the peer holds, once it has accepted.
        var accept: FileAccept?
        var hasEnd = false
        var isDone = false
        /// The reason of the peer's FILE_CANCEL.
        var cancelReason: FileCancel.Reason?
        /// Whether the tester has sent FILE_CANCEL.
        var isCancelled = false

        /// Whether the peer has said whether it takes the file.
        var isAnswered: Bool { accept != nil || cancelReason != nil }
    }

    /// A file that the peer offers.
    struct PeersFile {
        let offer: FileOffer
        /// How the tester has accepted it.
        var accept: FileAccept?
        var allowance = Allowance(limit: 0)
        /// What came, after what the tester says that it holds.
        var content: [UInt8] = []
        /// The hash of FILE_END.
        var digest: [UInt8]?
        /// The reason of the peer's FILE_CANCEL.
        var cancelReason: FileCancel.Reason?
    }

    // What the tester sends.
    var messages = Allowance(limit: 262_144)
    var openings = Allowance(limit: 32)
    var offers = Allowance(limit: 32)
    /// What the tester's last message lacks.
    var lacking: UInt64 = 0
    /// Counted frames of the tester (SPEC §13.6).
    var framesSent: UInt64 = 0
    /// The count of the peer's last ACK.
    var acknowledged: UInt64 = 0
    var streams: [UInt64: Stream] = [:]
    var files: [UInt64: File] = [:]
    var hasAdmitted = false
    var hasClosed = false

    // What the peer sends.
    var peersMessages = Allowance(limit: 262_144)
    var peersOpenings = Allowance(limit: 32)
    var peersOffers = Allowance(limit: 32)
    var peersLacking: UInt64 = 0
    /// Counted frames that came, and those that the tester has acknowledged.
    var received: UInt64 = 0
    var receivedAcknowledged: UInt64 = 0
    var peersFiles: [UInt64: PeersFile] = [:]
    var isAdmitted = false
    var pongs: [[UInt8]] = []
    /// The number of the peer's next stream or file (SPEC §13.2); nil until both keys are known.
    var peersNext: UInt64?
    /// Whether another link continues the association, on which the first CREDIT of each kind may repeat its limit (R13.4-2).
    var isContinued = false
    var credited: Set<[UInt64]> = []

    /// The same association on another link (SPEC §13.9). RESUME or RESUMED has acknowledged what came.
    var continued: AssociationLedger {
        var ledger = self
        (ledger.isContinued, ledger.hasClosed, ledger.credited) = (true, false, [])
        ledger.receivedAcknowledged = received
        return ledger
    }

    /// Both keys are known.
    mutating func begin(own: [UInt8], peers: [UInt8]) {
        peersNext = peers.lexicographicallyPrecedes(own) ? 0 : 1
    }

    /// What the tester owes the peer: an answer to STREAM_STOP and FILE_CANCEL (R15.6-5, R15.3-7), CREDIT where half of a
    /// window is used, because it takes everything at once (R13.5-1, R13.5-2), and ACK of 16 frames, which are never too many bytes
    /// to wait for (R13.6-1).
    mutating func dueFrames() -> [UInt8] {
        guard !hasClosed else { return [] }
        return dueEndings() + dueCredits() + (received - receivedAcknowledged >= 16 ? dueAck() : [])
    }

    private func dueEndings() -> [UInt8] {
        var frames: [UInt8] = []
        for (id, stream) in streams where !stream.hasEnded {
            if let code = stream.stopCode { frames += WireBytes.streamReset(id, code: code) }
        }
        for (id, file) in files where !file.isDone && !file.isCancelled {
            if let reason = file.cancelReason { frames += WireBytes.fileCancel(id, reason: reason.rawValue) }
        }
        return frames
    }

    private mutating func dueCredits() -> [UInt8] {
        var frames: [UInt8] = []
        if peersMessages.room < 131_072 || peersMessages.room < peersLacking {
            peersMessages.limit = peersMessages.used + max(262_144, peersLacking)
            frames += WireBytes.credit(.messages, limit: peersMessages.limit)
        }
        // What the tester has opened takes no more than the case says.
        for (id, stream) in streams where !stream.isTesters && !stream.peerHasEnded && stream.peers.room < 16_384 {
            streams[id]?.peers.limit = stream.peers.used + 32_768
            frames += WireBytes.credit(.stream, id: id, limit: stream.peers.used + 32_768)
        }
        let ended = UInt64(streams.values.count { !$0.isTesters && $0.peerHasEnded && $0.hasEnded })
        if 32 + ended >= peersOpenings.limit + 16 {
            peersOpenings.limit = 32 + ended
            frames += WireBytes.credit(.openings, limit: peersOpenings.limit)
        }
        return frames
    }

    /// ACK of the counted frames that came, if that says anything new.
    mutating func dueAck() -> [UInt8] {
        guard received > receivedAcknowledged else { return [] }
        receivedAcknowledged = received
        return WireBytes.ack(received)
    }
}
