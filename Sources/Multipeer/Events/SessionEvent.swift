public import MultipeerCrypto
public import MultipeerDriver
public import MultipeerStorage

/// What happens in a session.
@nonexhaustive
public enum SessionEvent: Sendable {
    /// A connection to a peer is being made. The name is the one that the session's roster has.
    case connecting(PeerID)
    /// A peer is connected, or connected again after ``reconnecting(_:)``.
    case connected(Member)
    /// The connection to a member is lost, and comes back by itself if that is possible: ``connected(_:)`` or ``disconnected(_:_:)``
    /// follows within ``PeerOptions/grace``. What is sent meanwhile waits. Messages, streams and files go on where they were.
    case reconnecting(Member)
    /// A peer is not connected any more. It may come back by itself (``DisconnectReason/isRetried``).
    case disconnected(Member, DisconnectReason)
    /// A peer that was being connected is not.
    case failed(PeerID, DisconnectReason)
    /// A message has come.
    case message(Message, Member)
    /// A member offers a file or folder. Answer it; an offer that nobody keeps is declined.
    case file(OfferedFile)
    /// A member has opened a stream. One that nobody keeps is given up.
    case stream(PeerStream)
    /// The person of a member wants to compare short strings. Ask the local person, and then call
    /// ``Session/compare(with:)``.
    case comparisonWanted(Member)
    /// The key of a connected member has been verified (``Comparison/confirm()``).
    case verified(Member)
    /// Something that somebody should know of.
    case warning(SessionWarning)
}

/// What somebody should know of (SPEC §14).
@nonexhaustive
public enum SessionWarning: Hashable, Sendable {
    /// The member has said different things to different members.
    case contradiction(PeerID)
    /// Another program seems to use the identity of this peer.
    case identityUsedTwice
    /// The session is so full that not all members know of this peer.
    case placeLost
    /// This peer could not sign what others are to know of it.
    case signingFailed
    /// Messages to a member did not arrive for certain: its connection has ended, and another one has taken its place. Without
    /// another one the departure says so (``DisconnectReason/undelivered``).
    case undelivered(PeerID, UndeliveredMessages)
    /// What a later run needs of the session could not be written (``Session/init(of:restoringAs:trust:encryption:certificate:maximumMembers:unites:)``).
    /// It is tried again at the next change.
    case notKept(StorageError)
}
