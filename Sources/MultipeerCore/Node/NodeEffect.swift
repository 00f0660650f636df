public import MultipeerCertificates
public import MultipeerCrypto
public import MultipeerWire

/// What a node reports to its driver and its app, or asks of them.
@nonexhaustive
public enum NodeEffect: Sendable {
    // The transport
    /// Connect there. Answer by `Node.connected(_:at:)` or `Node.failed(_:at:)`; after 4 s the node gives up by itself.
    case dial(DialNumber, MemberAddress)
    /// Nobody needs that connection any more, unless it has been made.
    case cancelDial(DialNumber)
    /// The link needs its transport no longer: close it. Nothing else comes for this number.
    case released(LinkNumber)

    // Links and invitations
    /// The peer of a link that the app opened, or that came, has proved its key and said its name.
    case identified(LinkNumber, PeerID)
    /// The peer of a link that came does not invite: it waits to be invited (``NodeConfiguration/courtesy``).
    case visited(LinkNumber)
    /// The peer invites: answer by `accept` or `decline`.
    case invited(LinkNumber, LinkToken, ReceivedInvitation)
    /// The app need not answer about the first link any more: a newer invitation of the peer is on the second (R8.7-5), or that one
    /// is open (R8.7-7).
    case invitationReplaced(LinkNumber, by: LinkNumber)
    /// ACCEPT goes out: the app has accepted the invitation, or the same one of this peer for the group a little before (R8.2-10).
    case invitationAccepted(LinkNumber, ReceivedInvitation, into: GroupNumber?)
    /// The peer of a link that the app opened cannot be invited. The link ends, unless the peer has invited on it. Of a call the app hears by
    /// ``callEnded(_:_:)`` alone.
    case notInvited(LinkNumber, NodeRequestError)
    /// What has become of a call on a link (``InvitationPatience/forConnection``), which may have ended before. It comes once, and of
    /// success after ``connected(_:_:_:isReplacement:)``.
    case callEnded(LinkNumber, CallOutcome)
    /// Verify the peer, and answer by `submitVerdict`.
    case verify(LinkNumber, LinkToken, PeerEvidence)
    /// About one-time codes and short strings. Which code the peer gets, the node answers by itself.
    case verification(LinkNumber, VerificationEvent)
    /// The code that was shown is good no longer: nobody has typed it for ten minutes.
    case codeExpired
    /// A link has ended, and no other one continues it.
    case closed(LinkNumber, LinkEnd)
    /// About messages, streams and files of an open link.
    case payload(LinkNumber, LinkEffect)

    // Members
    /// A link to a member is open. If `isReplacement`, it takes the place of another one, and the member has been connected
    /// all the time.
    case connected(SessionID, LinkNumber, LinkSummary, isReplacement: Bool)
    /// The link to a member is lost, and another one may continue it (SPEC §13.9): ``resumed(_:by:)`` and ``connected(_:_:_:isReplacement:)``,
    /// or ``closed(_:_:)`` and ``departed(_:_:_:_:)``, follow. Until then messages, streams and files have no result.
    case reconnecting(SessionID, IdentityKey, LinkNumber)
    /// What was begun on the first link goes on on the second: tags and numbers of messages, streams and files stay the same.
    case resumed(LinkNumber, by: LinkNumber)
    /// The connection to a member has ended, or was not made; and why (SPEC §14.9).
    case departed(SessionID, IdentityKey, Departure, LinkEnd)
    /// There is something new to see of a member (`Node.member(_:in:)`). Only the newest counts.
    case memberChanged(SessionID, IdentityKey)
    /// A group has followed into a session, in which the local peer is a member from now on (SPEC §14.11). It is less than its home was.
    case followed(GroupNumber, into: SessionID)
    /// The app has left a group: neighbours have heard it, as far as the local peer was admitted, and the links are closed.
    case left(GroupNumber)
    /// The home of a group has changed from the first session to the second, which has the lesser identifier (SPEC §14.11).
    case united(GroupNumber, from: SessionID, into: SessionID)
    /// An open link is in a session of lesser identifier from now on. Nothing else of it changes.
    case moved(LinkNumber, into: SessionID)
    /// A group has not entered a session, because it has entered too many within a minute (R14.11-4).
    case staysApart(GroupNumber, SessionID)
    /// The member has signed two entries under one number. Told once of each (R14.4-2).
    case contradiction(SessionID, IdentityKey)
    /// Another program seems to use the local identity (R14.7-2, R14.9-3).
    case twinSuspected(SessionID)
    /// The session is so full that others do not hear of the local peer (SPEC §14.4).
    case placeLost(SessionID)
    /// A local entry could not be signed: others still believe the one before.
    case signingFailed(SessionID, CryptoFailure)
}

/// Why a request to a node was refused. A refused request changes nothing.
@nonexhaustive
public enum NodeRequestError: Error, Hashable, Sendable {
    /// There is no such link any more.
    case unknownLink
    /// The node takes no part in that session.
    case unknownSession
    /// There is no entry of that member.
    case unknownMember
    /// The member has no open link.
    case notConnected
    /// There is an invitation to that peer, or a link, for the same group (R8.7-2).
    case alreadyLinked
    /// The app has blocked that peer.
    case blocked
    /// The local peer may not admit anybody: its chain is too long, the founder alone admits, or it has left (R14.1-2).
    case mayNotAdmit
    /// The session has as many members as its charter allows (R14.1-2).
    case sessionFull
    /// The app has not taken enough of what that peer sent over earlier links (R13.5-6).
    case tooMuchUntaken
    /// The charter or the chain that was kept is not valid.
    case invalidMemory
    /// The code was typed within the last ten minutes, or is being tried: have the remote peer show a new one
    /// (R25.5-6).
    case codeUsed
    /// The limit of codes typed within ten minutes is reached, so no more are taken.
    case tooManyCodes
    /// Ten short strings were compared within an hour and not confirmed (SPEC §25.3).
    case tooManyComparisons
    /// The link refused it.
    case link(RequestError)
    /// A secret could not be used.
    case crypto(CryptoFailure)
}
