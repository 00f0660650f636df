/// Where a link is when the frames of a rule come: the state of SPEC §17 that the receiver is in, or a little more.
package enum Place: String, CaseIterable, Sendable {
    case proof, info, identified, inviting, invited
    /// Certificates are awaited: as invitee, and as inviter.
    case certificatesInvitee, certificatesInviter
    /// CERTIFICATES came, and the app judges.
    case judging
    /// The peer's READY came before the receiver's own verdict.
    case peerReady
    /// The receiver's READY is sent, the peer's has not come.
    case selfReady
    case open, closing
    /// An open link on which the receiver has accepted the sender's first file, of the five bytes "hello".
    case receiving
}

extension Place {
    /// The place in the ID of a conformance case.
    package var topic: String {
        switch self {
        case .proof: "proof"
        case .info: "proved"
        case .certificatesInvitee: "agreed"
        case .certificatesInviter: "agreed-inviter"
        case .peerReady: "peer-ready"
        case .selfReady: "certified"
        case .identified, .inviting, .invited, .judging, .open, .closing, .receiving: rawValue
        }
    }
}

extension Place {
    /// The states after PROOF, as far as a link that is open.
    package static let identifying: [Place] = [
        .info, .identified, .inviting, .invited, .certificatesInvitee, .certificatesInviter, .judging, .peerReady,
        .selfReady, .open,
    ]
}
