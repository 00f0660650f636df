/// Which end of the byte stream the local peer is (SPEC §4.1).
public enum LinkRole: Hashable, Sendable {
    /// Opened the stream.
    case initiator
    /// Accepted it.
    case responder

    /// The role in signed bytes (SPEC §9.5).
    public var byte: UInt8 {
        switch self {
        case .initiator: 0x00
        case .responder: 0x01
        }
    }

    /// The remote peer's role.
    public var peer: LinkRole {
        switch self {
        case .initiator: .responder
        case .responder: .initiator
        }
    }
}
