/// What a peer supports beyond what every peer must, and says in PEER_INFO (SPEC §8.1).
public enum Feature: UInt16, Sendable, CaseIterable {
    /// Short strings and one-time codes (SPEC §25.6).
    case verification = 0x0001

    /// The name in SPEC §8.1.
    public var name: String {
        switch self {
        case .verification: "verification"
        }
    }
}
