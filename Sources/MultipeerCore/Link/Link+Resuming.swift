import MultipeerCrypto
import MultipeerWire

/// An association that continues over several links (SPEC §13.9), as a node sees it from each of them.
extension Link {
    /// The associations that may outlive the link, and that RESUME of the peer may name. Without them its association ends with it.
    mutating func attach(_ book: AssociationBook) { context.book = book }

    /// Sends RESUME once the peer has proved itself, in place of an invitation (R13.9-4). The link must be new, and an initiator's that
    /// expects this peer.
    mutating func resume(_ association: ResumableAssociation) { context.pendingResume = association }

    /// The association that travels on the link, or is to; nil if none outlives its link.
    var association: ResumableAssociation? { context.association }

    /// The association that RESUME is about to ask for.
    var pendingResume: ResumableAssociation? { context.pendingResume }

    /// How the link has left it.
    var associationEnd: AssociationEnd { context.associationEnd }

    /// Whether RESUMED has opened the link.
    var hasResumed: Bool { context.hasResumed }

    /// Whether RESUME of the peer has come, and has not opened the link: its end is no departure (SPEC §14.9).
    var hasRefusedResume: Bool { context.hasSeenResume && !context.hasResumed }

    /// Whether its association has gone to another link.
    var hasLostAssociation: Bool { context.association.map { $0.newest !== context } ?? false }

    /// The part in the session that the link has got.
    var membership: LinkMembership? { context.membership }
}
