import MultipeerScriptedPeer
import MultipeerWire

/// What a live peer may send in any case. Every case watches this.
///
/// These rules concern the peer's own direction alone, or need no more than what the tester has sent.
struct PeerBehavior {
    let peerRole: StreamRole
    /// Which types came, but for those of an open link, of which there may be many.
    private var frames: [FrameType] = []
    /// The peer's CLOSE came.
    private(set) var hasClosed = false
    /// The tester has sent what the peer has to wait for.
    var sentProof = false
    var sentCertificates = false
    var sentReady = false
    /// The payload's protection, once it is settled.
    var outcome: EncryptionOutcome?
    /// What the peer's PEER_INFO said.
    private(set) var maximumMessage: UInt64?
    private(set) var features: [UInt16] = []
    /// Whether the tester's PEER_INFO lists the feature *verification*.
    var listsVerification = false
    /// What the peer's person does to verify keys.
    var verification = PeerProfile.Verification.nothing
    /// What passes once the link is open.
    var ledger = AssociationLedger()
    /// The association that the tester wants to continue on this link.
    var continuation: Continuation?
    /// Whether RESUMED has opened the link.
    private(set) var isResumed = false

    init(peerRole: StreamRole) { self.peerRole = peerRole }

    func has(_ type: FrameType) -> Bool { frames.contains(type) }

    /// - Parameter peerInvited: Whether the INVITE that stands is the peer's.
    mutating func observe(_ frame: ScriptedPeer.Frame, peerInvited: Bool) throws(Interruption) {
        guard !hasClosed else { throw .broke(rule: "R16.1-1", "\(frame.text) came after CLOSE") }
        try checkProtection(frame)
        guard let type = frame.known else {
            guard has(.proof) else { throw .broke(rule: "R9.5-1", "\(frame.text) came before PROOF") }
            return
        }
        switch type {
        case .close: hasClosed = true
        case .padding:
            guard has(.proof) else { throw .broke(rule: "R9.5-1", "PADDING came before PROOF") }
        case .proof: try checkProof()
        case .peerInfo:
            guard frames == [.proof] else { throw .broke(rule: "R8.1-1", "PEER_INFO came out of order") }
            guard sentProof else { throw .broke(rule: "R8.1-1", "PEER_INFO came before the tester's PROOF") }
        case .invite:
            guard has(.peerInfo) else { throw .broke(rule: "R8.2-3", "INVITE came before PEER_INFO") }
            guard !has(.invite) else { throw .broke(rule: "R8.2-3", "a second INVITE came") }
        case .ready:
            guard sentCertificates else {
                throw .broke(rule: "R10.5-1", "READY came before the tester's CERTIFICATES")
            }
            guard !has(.ready) else { throw .broke(rule: "R10.5-4", "a second READY came") }
        case .message, .messagePart, .datagrams, .fileOffer, .fileAccept, .fileCancel, .fileData, .fileEnd, .fileDone,
            .ping, .pong,
            .credit, .ack, .admit, .roster, .digest, .summary, .want, .unite, .enter, .streamOpen, .streamData,
            .streamEnd,
            .streamReset, .streamStop:
            guard isOpen else {
                throw .broke(rule: "R10.5-3", "\(frame.text) came before the link was open")
            }
        case .rekey:
            guard isOpen else {
                throw .broke(rule: "R12.6-3", "REKEY came before the link was open")
            }
        case .stringAsk, .stringCommit, .stringNonce, .stringReveal, .codeBegin, .codeAnswer, .codeConfirm:
            try checkVerification(frame, type)
        case .resume, .resumed: try checkResuming(frame, type)
        case .accept, .decline, .cancel, .certificates:
            guard has(.peerInfo) else { throw .broke(rule: "R8.1-1", "\(frame.text) came before PEER_INFO") }
        }
        try checkPayload(frame, type)
        if type.isOfOpenLink, try !isRepeat(frame, type) { try ledger.observe(frame, peerInvited: peerInvited) }
        if type != .padding, !type.isOfOpenLink { frames.append(type) }
    }

    /// Records before *open* are padded, unless they hold CLOSE (R6.5-1). Call it before the record's frames are observed.
    func checkPadding(of frames: [ScriptedPeer.Frame]) throws(Interruption) {
        let types = frames.compactMap(\.known)
        guard !has(.ready), !isResumed, !types.contains(.close), let length = frames.first?.recordLength else { return }
        let unit = types.contains(.certificates) ? Padding.certificatesUnit : Padding.unit
        guard length % unit == 0 else {
            throw .broke(rule: "R6.5-1", "a record of \(length) bytes came before the link was open")
        }
    }

    /// REKEY is the last frame of its record (R12.6-2).
    func checkRekey(in frames: [ScriptedPeer.Frame]) throws(Interruption) {
        guard frames.dropLast().contains(where: { $0.known == .rekey }) else { return }
        throw .broke(rule: "R12.6-2", "a frame came after REKEY in one record")
    }

    private var isOpen: Bool { has(.ready) && sentReady || isResumed }

    // MARK: Resuming

    /// What is known of an association from the link before (SPEC §13.9).
    struct Continuation {
        var ledger: AssociationLedger
        let outcome: EncryptionOutcome?
        /// The counted frames that the peer has to send again, in order.
        var repeats: [[UInt8]] = []
    }

    /// RESUME and RESUMED come only where the tester continues an association, each from its own side, and once.
    private mutating func checkResuming(_ frame: ScriptedPeer.Frame, _ type: FrameType) throws(Interruption) {
        guard continuation != nil, !has(type), !isResumed, (type == .resume) == (peerRole == .initiator) else {
            throw .broke(rule: "R13.9-4", "\(frame.text) came, and there is no association to resume")
        }
        if type == .resumed { resume() }
    }

    /// RESUMED goes one way or the other: what holds is what held on the link before.
    mutating func resume() {
        guard let continuation else { return }
        (isResumed, outcome, ledger) = (true, continuation.outcome, continuation.ledger.continued)
    }

    /// Counted frames that the tester has not processed come again first, as they were (R13.9-8).
    private mutating func isRepeat(_ frame: ScriptedPeer.Frame, _ type: FrameType) throws(Interruption) -> Bool {
        guard isResumed, let next = continuation?.repeats.first, type != .ping, type != .pong else { return false }
        guard frame.encoded == next else {
            throw .broke(rule: "R13.9-8", "\(frame.text) came before a frame that the tester has not processed")
        }
        continuation?.repeats.removeFirst()
        ledger.received += 1
        return true
    }

    // MARK: Other sections

    /// Frames of SPEC §25 come only where both peers list the feature, and people want something (R25.6-4).
    private func checkVerification(
        _ frame: ScriptedPeer.Frame, _ type: FrameType
    ) throws(Interruption) {
        guard has(.peerInfo), listsVerification else {
            throw .broke(rule: "R8.1-5", "\(frame.text) came, and the tester lists no feature")
        }
        switch (type, verification) {
        case (.codeBegin, .types), (.codeAnswer, .shows), (.codeConfirm, .types), (.codeConfirm, .shows): break
        case (.stringAsk, .compares), (.stringCommit, .compares), (.stringNonce, .compares): break
        case (.stringReveal, .compares): break
        default: throw .broke(rule: "R25.6-4", "\(frame.text) came, and the peer's person does not want it")
        }
    }

    private func checkProof() throws(Interruption) {
        guard !has(.proof) else { throw .broke(rule: "R9.5-5", "a second PROOF came") }
        guard peerRole == .responder || sentProof else {
            throw .broke(rule: "R9.5-1", "the initiator's PROOF came before it could verify the responder's")
        }
    }

    private func checkProtection(_ frame: ScriptedPeer.Frame) throws(Interruption) {
        let isPayload = frame.known?.isPayload ?? false
        guard frame.kind == .authenticated else {
            guard !isPayload || outcome != .readable else {
                throw .broke(rule: "R11-2", "\(frame.text) came encrypted on a readable link")
            }
            return
        }
        guard isPayload, outcome == .readable else {
            throw .broke(
                rule: outcome == .readable ? "R11-2" : "R11-1", "\(frame.text) came in an AUTHENTICATED record")
        }
    }

    /// The payload of a control frame must decode.
    private mutating func checkPayload(_ frame: ScriptedPeer.Frame, _ type: FrameType) throws(Interruption) {
        guard !type.isPayload else { return }
        let payload = frame.payload
        do throws(WireError) {
            try type.validate(payload.span)
            if type == .peerInfo {
                let info = try PeerInfo(payload: payload.span)
                (maximumMessage, features) = (info.maximumMessage, info.features)
            }
        } catch {
            throw .broke(rule: "R3.3-1", "the peer's \(type.name) does not decode")
        }
    }
}
