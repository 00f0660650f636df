/// What both parties of one run of CPace have in common beside the password (draft-irtf-cfrg-cpace §4.1).
public struct CPaceContext: Sendable {
    /// Which run it is: `sid`. It is an export of the link, so nobody else knows it.
    public let sessionIdentifier: SharedSecret
    /// The two parties, in order: `CI`.
    public let channelIdentifier: [UInt8]

    /// The context of an attempt with a one-time code. SPEC §25.5
    /// - Parameters:
    ///   - sessionIdentifier: The export of the link for one-time codes (SPEC §25.1).
    ///   - typist: The identity key of the peer at which the code is typed.
    ///   - presenter: The identity key of the peer that shows the code.
    public init(sessionIdentifier: SharedSecret, typist: IdentityKey, presenter: IdentityKey) {
        let label = Array("multipeer/1 code channel".utf8) + [0]
        self.init(
            sessionIdentifier: sessionIdentifier, channelIdentifier: label + typist.rawBytes + presenter.rawBytes)
    }

    /// Any context, for known answers.
    package init(sessionIdentifier: SharedSecret, channelIdentifier: [UInt8]) {
        self.sessionIdentifier = sessionIdentifier
        self.channelIdentifier = channelIdentifier
    }

    /// The label of the export that is the session identifier.
    public static let exportLabel = Array("multipeer/1 one-time code".utf8)
    /// The length of that export.
    public static let exportLength = 32
}

/// A share with the data that it authenticates: what a party of CPace sends first.
public struct CPaceMessage: Hashable, Sendable {
    /// Y.
    public let share: GroupElement
    /// AD: what comes with the share in its frame.
    public let associatedData: [UInt8]

    /// Creates a message from its parts.
    public init(share: GroupElement, associatedData: [UInt8]) {
        self.share = share
        self.associatedData = associatedData
    }
}
