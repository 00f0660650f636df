/// What a peer supports beyond what every peer must, and says in PEER_INFO (SPEC §8.1).
public enum Feature: UInt16, Sendable, CaseIterable {
    /// Short strings and one-time codes (SPEC §25.6).
    case verification = 0x0001
    /// Messages that go over UDP beside the link (SPEC §26).
    case datagrams = 0x0002

    /// The name in SPEC §8.1.
    public var name: String {
        switch self {
        case .verification: "verification"
        case .datagrams: "datagrams"
        }
    }
}
