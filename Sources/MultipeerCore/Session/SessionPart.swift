import MultipeerCrypto
import MultipeerWire

/// The receiver of the frames of §14 that come on a link.
enum SessionPart {
    /// None: the local peer is a guest (R14.5-5).
    case guest(GuestSession)
    /// A member of the session.
    case member(LinkMembership)

    /// The link is open.
    func open(into control: inout ControlQueue, at now: Instant) {
        switch self {
        case .guest: break
        case .member(let membership): membership.open(into: &control, at: now)
        }
    }

    /// The same part, on another link of the association.
    func resumed() -> SessionPart {
        switch self {
        case .guest(let guest): .guest(guest)
        case .member(let membership): .member(LinkMembership(continuing: membership))
        }
    }

    /// Takes a frame of §14.
    mutating func receive(
        _ frame: borrowing RawFrame, type: FrameType, summary: LinkSummary, in context: LinkContext,
        into control: inout ControlQueue
    ) throws(LinkFailureCause) {
        switch self {
        case .guest(var guest):
            let key = context.configuration.identity.identityKey
            try guest.receive(frame, type: type, charter: summary.charter, as: key, with: context.crypto)
            self = .guest(guest)
        case .member(let membership): try membership.receive(frame, type: type, at: context.now, into: &control)
        }
    }
}
