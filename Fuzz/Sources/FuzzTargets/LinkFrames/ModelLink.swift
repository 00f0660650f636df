import FuzzSupport
import MultipeerCore
import MultipeerCrypto

/// A link from *info* on, as SPEC §8, §10, §15 – §18 describe it. Shares no code with the link.
struct ModelLink {
    enum State: Equatable {
        case info, identified, pairing, invited, certificates, open, closing, closed
        /// Whether the peer's INVITE has crossed, and is void.
        case inviting(hasCrossed: Bool)
    }

    /// What is still to be said when a closing link is closed.
    enum Ending: Equatable {
        /// A session that the app closed, whose messages still arrive.
        case session
        /// An invitation that ended.
        case failure(LinkStage, String)
        /// The app has heard already, and the peer has got this code.
        case told(UInt64)
    }

    // The two peers.
    let role: LinkRole
    let hasLesserKey: Bool
    let maximumMessage: UInt64
    let binding: ModelBinding
    /// Whether INVITE may go out before PEER_INFO came (R8.2-6).
    let expectsPeer: Bool

    // Its state.
    var state = State.info
    var now: UInt64
    var deadline: UInt64
    var hasDeadline = true
    /// When a closing link ends, however much still comes.
    var limit: UInt64 = 0
    var ending = Ending.told(0)
    /// Whether the stream of records has lost its thread.
    var isDeaf = false
    /// What may still come in protected records before the link is open (R19-1).
    var allowance: Int

    // The invitation.
    var invitation: ModelTerms?
    /// Whether INVITE is sent.
    var hasInvited = false
    var inviteDeadline: UInt64 = 0
    var terms = ModelTerms(preference: 0)
    var received: ModelInvite?
    /// The app named the session, which exists already.
    var isCharterGiven = false
    /// INVITE and ACCEPT as they are, whole.
    var inviteFrame: [UInt8] = []
    var acceptFrame: [UInt8] = []
    /// The PEER_INFO of either peer, whole.
    var ownInfo: [UInt8] = []
    var peerInfo: [UInt8] = []
    var peerMaximum: UInt64 = 0

    // Codes and strings (§25).
    var verification: ModelVerification
    /// The CODE_BEGIN that is to be answered.
    var codeBegin: [UInt8] = []

    // Certificates.
    var session: [UInt8] = []
    var isReadable = false
    var isInviter = false
    var peerKind: UInt8 = 0
    var hasCertificates = false
    var hasAccepted = false
    var isPeerReady = false

    // What is open (§13, §15), and what it makes of §14.
    var payload: ModelAssociation
    var guest = ModelGuest(mayBeAdmitted: false)
    /// Whether the link was open when it closed.
    var hasBeenOpen = false
    /// Since when the app wants to close (§17), and when bytes of messages went out last.
    var drainingSince: UInt64?
    var progressAt: UInt64 = 0

    /// Whether the record that is read had REKEY (R12.6-2).
    var hasRekeyed = false
    /// When the local peer's key came into use (R12.6-5), and how many REKEYs the app has asked for.
    var keySince: UInt64 = 0
    var owedRekeys = 0

    // What must be seen.
    var events: [ModelEvent] = []
    var sent: [ModelSent] = []

    var stage: LinkStage {
        switch state {
        case .info: .info
        case .identified: .identified
        case .pairing: .pairing
        case .invited: .invited
        case .certificates: .certificates
        case .open: .open
        case .closing: .closing
        case .closed: .closed
        case .inviting: .inviting
        }
    }

    /// What the local peer's PEER_INFO lists.
    var listed: [UInt8] { verification.isListed ? [2, 0, 1] : [0] }
    var ownKey: [UInt8] { role == .initiator ? binding.initiator : binding.responder }
    var peerKey: [UInt8] { role == .initiator ? binding.responder : binding.initiator }
    /// As the transcript wants them.
    var infoFrames: [UInt8] { role == .initiator ? ownInfo + peerInfo : peerInfo + ownInfo }

    // MARK: Records

    /// A protected record came whole, with a tag that verifies.
    mutating func receive(isAuthenticated: Bool, plaintext: [UInt8]) {
        expire()
        guard state != .closed, !isDeaf else { return }
        let length = plaintext.count + 19
        if !wasOpen {
            guard length <= allowance else { return breakStream(.limitExceeded) }
            allowance -= length
        }
        if isAuthenticated, !(wasOpen && isReadable) { return breakStream(.wrongProtection) }
        if state == .closing { setDeadline(min(limit, now + 5_000_000_000)) }
        payload.lastHeard = now
        hasRekeyed = false
        let frames = ModelFrames(plaintext.span)
        for frame in frames.frames where state != .closed {
            do { try receive(frame.type, frame.payload, isAuthenticated) } catch { fail(error) }
        }
        if frames.fault != nil, state != .closed { fail(.malformed) }
    }

    /// No later record can be found, or verified.
    private mutating func breakStream(_ fault: ModelFault) {
        isDeaf = true
        fail(fault)
    }

    /// A link that was open counts as open after its CLOSE (R12.4-2).
    var wasOpen: Bool { state == .open || (state == .closing && hasBeenOpen) }

    private mutating func receive(
        _ type: UInt64, _ bytes: [UInt8], _ isAuthenticated: Bool
    ) throws(ModelFault) {
        if case .told(let code) = ending, state == .closing, code != 0, type != 0x00 { return }
        if state != .closing, hasRekeyed { throw .unexpectedFrame }
        let isVerifying = verification.isListed && ModelVerification.isFrame(type)
        let isKnown = isVerifying || Self.known.contains(type)
        if state != .closing, !isKnown, type % 2 == 0 { throw .unsupported }
        let isPayload = Self.isPayload(type)
        if wasOpen, isReadable, isKnown || type % 2 == 1, isPayload != isAuthenticated { throw .wrongProtection }
        if type == 0x00 { return try receiveClose(bytes) }
        if type == 0x01 || !isKnown { return }
        if isVerifying, state != .closing {
            try receiveVerification(type, bytes)
            return moveEvents()
        }
        switch state {
        case .info: try receiveInInfo(type, bytes)
        case .pairing: try receiveInvitationInPairing(type, bytes)
        case .identified: try receiveInIdentified(type, bytes)
        case .inviting(let hasCrossed): try receiveInInviting(type, bytes, hasCrossed)
        case .invited: try receiveInInvited(type, bytes)
        case .certificates: try receiveInCertificates(type, bytes)
        case .open where type == 0x12:
            hasRekeyed = true
            try ModelFrame.fieldsAlone(bytes)
        case .open where ModelGuest.types.contains(type):
            try guest.receive(type, bytes)
            payload.noteProcessed(type, bytes)
        case .open: try payload.receive(type, bytes)
        case .closing:
            guard ending == .session else { return }
            try payload.receiveWhileClosing(type, bytes)
        case .closed: break
        }
        moveEvents()
    }

    /// What the association reports has its place among what the link reports.
    mutating func moveEvents() {
        events += payload.events
        payload.events = []
    }

    /// §6.3.
    private static let known: Set<UInt64> = [
        0x00, 0x01, 0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x14, 0x16, 0x18, 0x1A, 0x1C, 0x1E, 0x20,
        0x22, 0x24, 0x26, 0x28, 0x2A, 0x2C, 0x40, 0x42, 0x50, 0x52, 0x54, 0x56, 0x58, 0x5A, 0x60, 0x62, 0x64, 0x66,
        0x68,
    ]
    static func isPayload(_ type: UInt64) -> Bool { [0x40, 0x42, 0x56, 0x62].contains(type) }

    // MARK: Time

    mutating func setDeadline(_ moment: UInt64) { (deadline, hasDeadline) = (moment, true) }

    /// When keep-alive gives the peer up (R13.7-3).
    var silentAt: UInt64? {
        state == .open && payload.keepsAlive ? payload.lastHeard + 15_000_000_000 : nil
    }

    /// Whether a deadline has passed that acts before what comes now.
    var isDue: Bool {
        guard state != .closed else { return false }
        return hasDeadline && now >= deadline || drainingSince != nil && hasDrained
    }

    /// The deadline acts before what comes with it or later; silence is judged by the timer alone (R18-2).
    mutating func expire(isTimer: Bool = false) {
        payload.now = now
        if isTimer, let silentAt, now >= silentAt { return end("silent", telling: 0x25) }
        guard hasDeadline, now >= deadline, state != .closed else { return }
        switch state {
        case .info, .pairing: end("timed_out", telling: 0x0D)
        case .identified: end("timed_out", telling: 0x0E)
        case .inviting: withdraw(2, "noAnswer")
        case .invited: decline(4, [], "noAnswer")
        case .certificates: end(hasCertificates && !hasAccepted ? "verdict_timeout" : "timed_out", telling: 0x15)
        case .open, .closed: break
        case .closing: finish(.failed(.closing, "timed_out"))
        }
    }

    // MARK: Draining

    /// Whether a draining link sends CLOSE now (§17): no message waits, no byte of one could be sent for 5 s, or 60 s are over.
    var hasDrained: Bool {
        guard state == .open, let since = drainingSince else { return false }
        return payload.waiting.isEmpty || now >= max(since, progressAt) + 5_000_000_000 || now >= since + 60_000_000_000
    }
}
