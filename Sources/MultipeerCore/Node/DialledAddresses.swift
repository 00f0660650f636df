import MultipeerWire

extension MemberAddress {
    /// Whether a member may be dialled there although nobody on this side has asked for that address (R14.8-4): it is of a
    /// known kind, has a port, and leads neither to this host nor to many.
    var isDialable: Bool {
        guard let port = value.suffix(2).first.map({ UInt16($0) << 8 | UInt16(value[value.count - 1]) }), port > 0
        else {
            return false
        }
        let address = Array(value.dropLast(2))
        return switch (kind, address.count) {
        case (Self.ipv4, 4): Self.isDialable(ipv4: address)
        case (Self.ipv6, 16): Self.isDialable(ipv6: address)
        default: false
        }
    }

    /// Not unspecified, loopback, multicast or limited broadcast.
    private static func isDialable(ipv4 address: [UInt8]) -> Bool {
        address[0] != 0 && address[0] != 127 && !(224...239).contains(address[0]) && address != [255, 255, 255, 255]
    }

    private static func isDialable(ipv6 address: [UInt8]) -> Bool {
        let isMapped = address.prefix(10).allSatisfy { $0 == 0 } && address[10] == 0xFF && address[11] == 0xFF
        if isMapped { return isDialable(ipv4: Array(address.suffix(4))) }
        // :: and ::1
        let isLow = address.dropLast().allSatisfy { $0 == 0 } && address[15] < 2
        return !isLow && address[0] != 0xFF
    }
}

/// Which addresses were dialled, and how many attempts are under way (R14.8-4).
struct DialledAddresses: Sendable {
    /// How long an address is left alone behind an attempt.
    static let pause: Duration = .seconds(60)
    /// How many attempts are under way at most.
    static let mostAtOnce = 8

    private var tried: [MemberAddress: Instant] = [:]
    private(set) var underWay = 0

    /// Begins an attempt. False if it must not be made now.
    mutating func begin(_ address: MemberAddress, at now: Instant) -> Bool {
        guard underWay < Self.mostAtOnce, address.isDialable, mayTry(address, at: now) else { return false }
        // What is old says nothing any more, and would only grow.
        if tried.count >= 256 { tried = tried.filter { $0.value.advanced(by: Self.pause) > now } }
        tried[address] = now
        underWay += 1
        return true
    }

    /// An attempt is over, well or not.
    mutating func end() { underWay = max(underWay - 1, 0) }

    /// When the address may be tried again; nil for now.
    func nextTry(_ address: MemberAddress, at now: Instant) -> Instant? {
        guard let last = tried[address] else { return nil }
        let next = last.advanced(by: Self.pause)
        return next > now ? next : nil
    }

    private func mayTry(_ address: MemberAddress, at now: Instant) -> Bool { nextTry(address, at: now) == nil }
}
