/// Why a peer is not connected. Apple's framework does not say.
public struct MCDisconnectReason: Hashable, Sendable {
    /// What it means.
    public enum Kind: Hashable, Sendable, CaseIterable {
        /// The peer has left the session.
        case left
        /// The local peer has left it (``MCSession/disconnect()``).
        case leftHere
        /// One peer has closed the connection, and is in the session still.
        case closed
        /// The network has ended it, or the peer's program has without saying so. It is tried again by itself.
        case lost
        /// The peer's app has declined the invitation.
        case declined
        /// The peer is in another session with others, or takes no more members.
        case busy
        /// One peer does not trust the other: its delegate, or ``MCSession/trustPolicy``, has refused the peer.
        case notTrusted
        /// One peer requires encryption, and the other one has none.
        case encryptionMismatch
        /// Nobody answered in time.
        case timedOut
        /// The peer cannot be reached.
        case unreachable
        /// The local peer has cancelled it.
        case cancelled
        /// A parameter was out of range, such as a context of more than 16,384 bytes.
        case invalidParameter
        /// Anything else; ``MCDisconnectReason/description`` says what.
        case failed
    }

    /// What it means.
    public let kind: Kind
    /// What happened, in a sentence without a full stop.
    public let description: String
    /// What a person can do, in a sentence without a full stop; nil if there is nothing to be done.
    public let remedy: String?
    /// Whether the remote peer refuses the local one, whichever of them has invited.
    let isPeersRefusal: Bool

    init(_ kind: Kind, _ description: String, remedy: String? = nil, isPeersRefusal: Bool = false) {
        self.kind = kind
        self.description = description
        self.remedy = remedy
        self.isPeersRefusal = isPeersRefusal
    }
}

extension MCDisconnectReason: CustomStringConvertible {}
