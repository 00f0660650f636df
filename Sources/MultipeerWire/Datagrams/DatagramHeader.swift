/// What a datagram carries (SPEC §26.4).
public enum DatagramKind: UInt8, Sendable, CaseIterable {
    /// One message.
    case message = 0x04
    /// A challenge, or the answer to one, or both.
    case probe = 0x05
    /// What has come.
    case report = 0x06

    /// The lengths that a packet of this kind may have, in bytes.
    public var lengths: ClosedRange<Int> {
        switch self {
        case .message: DatagramHeader.length + Self.tagLength...DatagramHeader.maximumPacket
        case .probe: DatagramHeader.maximumPacket...DatagramHeader.maximumPacket
        case .report: Self.reportLength...Self.reportLength
        }
    }

    private static let tagLength = 16
    private static let reportLength = DatagramHeader.length + DatagramReport.length + tagLength
}

/// What stands in clear at the beginning of a datagram (SPEC §26.4).
public struct DatagramHeader: Hashable, Sendable {
    /// Its length in bytes. It is the associated data of the rest.
    public static let length = 17
    /// The greatest length of a datagram, in bytes.
    public static let maximumPacket = 1_200
    /// The greatest length of what a datagram seals, in bytes.
    public static let maximumContents = 1_167

    public let kind: DatagramKind
    /// Says to which link the datagram belongs.
    public let tag: UInt64
    public let counter: UInt64

    /// Creates a header.
    public init(kind: DatagramKind, tag: UInt64, counter: UInt64) {
        (self.kind, self.tag, self.counter) = (kind, tag, counter)
    }

    /// Reads the header of a packet; nil where its kind is unknown, or its length does not fit its kind (R26.4-1).
    public init?(packet: Span<UInt8>) {
        guard packet.count > Self.length, let kind = DatagramKind(rawValue: packet[0]),
            kind.lengths.contains(packet.count)
        else { return nil }
        self.init(kind: kind, tag: packet.u64(at: 1), counter: packet.u64(at: 9))
    }

    /// Its 17 bytes.
    public var bytes: [UInt8] {
        var bytes = [kind.rawValue]
        bytes.append(bigEndian: tag)
        bytes.append(bigEndian: counter)
        return bytes
    }
}

/// The contents of a probe (SPEC §26.5). A challenge of zero asks nothing, and an answer of zero answers nothing.
public struct DatagramProbe: Hashable, Sendable {
    public let challenge: UInt64
    public let answered: UInt64

    /// Creates a probe.
    public init(challenge: UInt64, answered: UInt64) { (self.challenge, self.answered) = (challenge, answered) }

    /// Reads the contents; nil if they are no probe (R26.4-3).
    public init?(contents: Span<UInt8>) {
        guard contents.count == DatagramHeader.maximumContents else { return nil }
        for index in 16..<contents.count where contents[index] != 0 { return nil }
        self.init(challenge: contents.u64(at: 0), answered: contents.u64(at: 8))
    }

    /// The contents.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(DatagramHeader.maximumContents)
        bytes.append(bigEndian: challenge)
        bytes.append(bigEndian: answered)
        bytes.append(contentsOf: repeatElement(0, count: DatagramHeader.maximumContents - 16))
        return bytes
    }
}

/// The contents of a report (SPEC §26.7).
public struct DatagramReport: Hashable, Sendable {
    /// The length of the contents, in bytes.
    static let length = 20

    /// The greatest counter that has verified.
    public let greatest: UInt64
    /// How many packets have verified.
    public let received: UInt64
    /// How long ago the packet with the greatest counter came, in microseconds; 4,294,967,295 if longer.
    public let delay: UInt32

    /// Creates a report.
    public init(greatest: UInt64, received: UInt64, delay: UInt32) {
        (self.greatest, self.received, self.delay) = (greatest, received, delay)
    }

    /// Reads the contents; nil if they are no report.
    public init?(contents: Span<UInt8>) {
        guard contents.count == Self.length else { return nil }
        var delay: UInt32 = 0
        for index in 16..<Self.length { delay = delay << 8 | UInt32(contents[index]) }
        self.init(greatest: contents.u64(at: 0), received: contents.u64(at: 8), delay: delay)
    }

    /// The contents.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: greatest)
        bytes.append(bigEndian: received)
        for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: delay >> UInt32(shift))) }
        return bytes
    }
}

extension Span<UInt8> {
    /// The eight bytes from here on, big-endian.
    package func u64(at start: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in start..<start + 8 { value = value << 8 | UInt64(self[index]) }
        return value
    }
}

extension [UInt8] {
    /// Appends eight bytes, big-endian.
    package mutating func append(bigEndian value: UInt64) {
        for shift in stride(from: UInt64(56), through: 0, by: -8) { append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
}
