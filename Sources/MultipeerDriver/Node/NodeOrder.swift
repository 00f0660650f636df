public import MultipeerCore
public import MultipeerWire

/// What a node wants of the network.
@nonexhaustive
public enum NodeOrder: Sendable {
    /// Connect there, and tell ``NodeDriver/connected(_:origin:isWithinHost:at:)`` or ``NodeDriver/failed(_:at:)``.
    case dial(DialNumber, MemberAddress)
    /// Nobody needs that connection any more.
    case cancelDial(DialNumber)
}
