public import MultipeerScriptedPeer

/// A case that a live peer must pass.
public struct ConformanceCase: Sendable {
    /// How strongly SPEC.md requires it.
    public enum Level: String, Sendable {
        case must = "MUST"
        case should = "SHOULD"
    }

    /// Section and topic, such as `9.5-reflected-proof`. Stable, and never reused.
    public let id: String
    /// One line that says what the case is about.
    public let title: String
    /// The requirements of SPEC.md that it shows.
    public let requirements: [String]
    public let level: Level
    /// What a conforming peer does.
    public let expectation: String
    /// Which end of the stream the tester has to be; nil for either.
    public let tester: StreamRole?
    /// What the peer has to do with invitations; nil for either.
    public let invitations: PeerProfile.Invitations?
    /// Whether it waits for a deadline of the peer's.
    public let waits: Wait
    /// Whether the peer has to expect another peer than the tester.
    public let isForExpecting: Bool
    /// Whether the peer has to offer a file on each link.
    public let isForOffering: Bool
    /// Whether the peer has to continue associations over other links.
    public let isForResuming: Bool
    /// What the peer's person has to do.
    public let verification: PeerProfile.Verification
    /// How many times the usual patience it may take, because it gives the peer much work.
    let patienceFactor: Int
    let script: @Sendable (Play) throws(Interruption) -> Evidence

    /// Which deadline of the peer's a case waits for; `answer` is the one that the peer's INVITE tells, `ping` and `silence`
    /// are those of keep-alive, and `attempt` is that of a one-time code.
    public enum Wait: Hashable, Sendable {
        case none, handshake, invitation, certificates, answer, ping, silence, attempt
    }

    init(
        _ id: String, _ title: String, _ requirements: String, level: Level = .must, expects expectation: String,
        tester: StreamRole? = nil, peer invitations: PeerProfile.Invitations? = nil, waits: Wait = .none,
        isForExpecting: Bool = false, isForOffering: Bool = false, isForResuming: Bool = false,
        verification: PeerProfile.Verification = .nothing, patienceFactor: Int = 1,
        _ script: @escaping @Sendable (Play) throws(Interruption) -> Evidence
    ) {
        self.id = id
        self.title = title
        self.requirements = requirements.split(separator: " ").map(String.init)
        self.level = level
        self.expectation = expectation
        self.tester = tester
        self.invitations = invitations
        self.waits = waits
        self.isForExpecting = isForExpecting
        self.isForOffering = isForOffering
        self.isForResuming = isForResuming
        self.verification = verification
        self.patienceFactor = patienceFactor
        self.script = script
    }

    /// Whether it can be played against such a peer from this end of the stream.
    public func applies(as role: StreamRole, to profile: PeerProfile) -> Bool {
        (tester ?? role) == role && (invitations ?? profile.invitations) == profile.invitations
            && isForExpecting == profile.expectsAnother && isForOffering == profile.offersFile
            && isForResuming == profile.resumes && verification == profile.verification
    }
}

/// What a peer has shown. Only a fulfilled expectation creates evidence, so no case passes because nothing happened.
public struct Evidence: Sendable {
    /// What came, in words.
    public let text: String

    init(_ text: String) { self.text = text }

    /// Joins both pieces of evidence.
    func and(_ other: Evidence) -> Evidence { Evidence("\(text); \(other.text)") }
}
