/// Which end of the byte stream a peer is (SPEC §4.1).
public enum StreamRole: String, Hashable, Sendable, CaseIterable {
    case initiator, responder

    /// The role in signed bytes (SPEC §9.5).
    public var byte: UInt8 { self == .initiator ? 0 : 1 }
    /// The remote peer's role.
    public var other: StreamRole { self == .initiator ? .responder : .initiator }
}
