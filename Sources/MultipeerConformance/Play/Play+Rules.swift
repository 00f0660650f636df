import MultipeerCrypto
import MultipeerRules
import MultipeerScriptedPeer
import MultipeerWire

/// How the tester plays the catalogue of rules (``MultipeerRules``).
extension ConformanceCase {
    /// The cases of rules whose place a live peer can be brought to.
    static func playing(_ rules: [LinkRule]) -> [ConformanceCase] {
        rules.filter(\.isLive).map { rule in
            ConformanceCase(rule, tester: rule.receivers.count == 1 ? rule.receivers[0].other : nil) {
                (play: Play) throws(Interruption) -> Evidence in try play.breakRule(rule, as: play)
            }
        }
    }

    /// The same for rules of open links.
    static func playing(association rules: [AssociationRule]) -> [ConformanceCase] {
        rules.filter(\.isLive).map { rule in
            ConformanceCase(rule, tester: nil) { (play: Play) throws(Interruption) -> Evidence in
                try play.breakRule(rule, as: play)
            }
        }
    }

    private init<Sender>(
        _ rule: Rule<Sender>, tester: StreamRole?,
        _ script: @escaping @Sendable (Play) throws(Interruption) -> Evidence
    ) {
        self.init(
            rule.id, rule.comment.prefix(1).uppercased() + rule.comment.dropFirst(),
            (rule.requirements + rule.alsoShows).joined(separator: " "),
            expects: "CLOSE \(rule.code.registeredName), then the end of the stream", tester: tester,
            peer: rule.place.invitations,
            script)
    }
}

extension Place {
    /// What the peer has to do with invitations; nil for either.
    fileprivate var invitations: PeerProfile.Invitations? {
        switch self {
        case .identified, .invited, .certificatesInvitee: .accepts
        case .inviting, .certificatesInviter: .invites
        case .proof, .info, .judging, .peerReady, .selfReady, .open, .closing, .receiving: nil
        }
    }

    /// What the peer does not send, once a fault has come in the place of what it waits for.
    fileprivate var forbidden: Set<FrameType> {
        switch self {
        case .proof: [.proof, .peerInfo, .invite]
        case .info: [.accept, .certificates, .ready]
        case .identified: [.accept, .decline, .certificates, .ready]
        case .inviting: [.certificates, .ready]
        case .invited, .certificatesInvitee, .certificatesInviter: [.ready]
        case .judging, .peerReady, .selfReady, .open, .closing: []
        case .receiving: [.fileDone]
        }
    }
}

extension Play {
    fileprivate func breakRule<Sender>(_ rule: Rule<Sender>, as sender: Sender) throws(Interruption) -> Evidence {
        try reach(rule.place)
        let frames = try front(of: rule.place) + made { try rule.frames(sender) }
        if rule.place == .open || rule.place == .receiving {
            try send(mixed: frames)
        } else {
            try peer.send(frames.flatMap { $0 })
        }
        return try expectClose(rule.code, forbidding: rule.place.forbidden)
    }

    /// Goes where the receiver is at a place, or to the last one before it that holds still.
    private func reach(_ place: Place) throws(Interruption) {
        switch place {
        case .proof:
            try reach(Stage.channel)
            if role == .initiator { _ = try take(.proof) }
        case .info: try reach(Stage.proved)
        case .identified, .invited: try reach(Stage.identified)
        case .inviting:
            try reach(Stage.identified)
            try awaitInvite()
        case .certificatesInvitee, .certificatesInviter, .judging, .peerReady: try reach(Stage.agreed)
        case .selfReady: try reach(Stage.certified)
        case .open: try reach(Stage.open)
        case .receiving: try offerFile(0, size: 5)
        case .closing: throw .skipped("a live peer does not wait there")
        }
    }

    /// What goes before the frames in their record, so that they come while the peer's app is asked.
    private func front(of place: Place) throws(Interruption) -> [[UInt8]] {
        switch place {
        case .invited: return [invite()]
        case .judging, .peerReady:
            peer.behavior.sentCertificates = true
            peer.behavior.sentReady = place == .peerReady
            return [try certificates()] + (place == .peerReady ? [WireBytes.ready] : [])
        default: return []
        }
    }

    private func made(_ frames: () throws -> [[UInt8]]) throws(Interruption) -> [[UInt8]] {
        do {
            return try frames()
        } catch let error as ScriptedPeerError {
            throw Interruption(error)
        } catch let error as Interruption {
            throw error
        } catch {
            throw .inconclusive("the tester cannot make the frames: \(error)")
        }
    }
}

/// The tester, as rules know it.
extension Play: LinkSender {
    var scripted: ScriptedPeer { peer.script }
    var displayName: [UInt8] { Array("Scripted".utf8) }
    var features: [UInt16] { terms.features }
    var nonce: [UInt8] { Array(1...32) }
    var sessionNonce: [UInt8] { Array(101...132) }
    var otherHash: [UInt8] { cryptography.sha256(peer.handshakeHash) }
    func receiversMaximum() throws -> UInt64 { try peerMaximumMessage() }

    func somebody(_ name: String) throws -> any IdentitySigner {
        if let known = strangers[name] { return known }
        let signer = try stranger()
        strangers[name] = signer
        return signer
    }
}
