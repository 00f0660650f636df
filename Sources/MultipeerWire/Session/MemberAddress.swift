/// Where a member listens (SPEC §14.3).
public struct MemberAddress: Hashable, Sendable {
    /// What ``kind`` is for 4 bytes of an IPv4 address and 2 of a TCP port.
    public static let ipv4: UInt8 = 1
    /// What ``kind`` is for 16 bytes of an IPv6 address and 2 of a TCP port.
    public static let ipv6: UInt8 = 2
    /// The greatest length of ``value``, in bytes.
    public static let maximumLength = 64
    /// The greatest number of addresses in an entry.
    public static let maximumCount = 8
    /// The greatest length of the list in an entry, in bytes.
    public static let maximumListLength = 256

    /// What the value is. A member keeps and passes on kinds that it does not know (R14.3-3).
    public let kind: UInt8
    /// The address and the port.
    public let value: [UInt8]

    /// Creates an address from values that must be in range.
    public init(kind: UInt8, value: [UInt8]) {
        self.kind = kind
        self.value = value
    }

    /// Whether the value has the length of its kind, as far as that is known (R14.3-1).
    var hasRightLength: Bool {
        switch kind {
        case Self.ipv4: value.count == 6
        case Self.ipv6: value.count == 18
        default: true
        }
    }
}

extension Reader {
    /// Takes the addresses of an entry.
    @_lifetime(self: copy self)
    mutating func addresses() throws(WireError) -> [MemberAddress] {
        var list = Reader(try vector(0...MemberAddress.maximumListLength, .addresses))
        var addresses: [MemberAddress] = []
        while list.remaining > 0 {
            let kind = try list.u8(.addressKind)
            let value = try list.bytes(0...MemberAddress.maximumLength, .addressValue)
            let address = MemberAddress(kind: kind, value: value)
            guard address.hasRightLength else { throw WireError(.lengthOutOfRange, in: .addressValue) }
            addresses.append(address)
            guard addresses.count <= MemberAddress.maximumCount else {
                throw WireError(.lengthOutOfRange, in: .addresses)
            }
        }
        return addresses
    }
}
