/// Names one link of a node. Numbers grow in the order in which links begin, and none comes twice.
public struct LinkNumber: Hashable, Sendable, Comparable {
    /// The number, from 1.
    public let rawValue: UInt64

    public static func < (left: LinkNumber, right: LinkNumber) -> Bool { left.rawValue < right.rawValue }
}

/// Names one attempt of a node to reach a member.
public struct DialNumber: Hashable, Sendable, Comparable {
    /// The number, from 1.
    public let rawValue: UInt64

    public static func < (left: DialNumber, right: DialNumber) -> Bool { left.rawValue < right.rawValue }
}
