import MultipeerWire

/// An input read as choices. Never fails: beyond its end all choices are zero.
public struct Choices {
    private let bytes: [UInt8]
    private var offset = 0

    /// Reads `input` from its beginning.
    public init(_ input: Span<UInt8>) {
        bytes = [UInt8](copying: input)
    }

    /// Reads bytes from their beginning.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// How many bytes are left.
    public var remaining: Int { bytes.count - offset }

    /// Whether every byte was read.
    public var isEmpty: Bool { remaining == 0 }

    /// The next byte; zero beyond the end.
    public mutating func byte() -> UInt8 {
        guard offset < bytes.count else { return 0 }
        defer { offset += 1 }
        return bytes[offset]
    }

    /// The lowest bit of the next byte.
    public mutating func bool() -> Bool { byte() & 1 == 1 }

    /// Two bytes, big-endian.
    public mutating func uint16() -> UInt16 { UInt16(byte()) << 8 | UInt16(byte()) }

    /// Four bytes, big-endian.
    public mutating func uint32() -> UInt32 { UInt32(uint16()) << 16 | UInt32(uint16()) }

    /// Eight bytes, big-endian.
    public mutating func uint64() -> UInt64 { UInt64(uint32()) << 32 | UInt64(uint32()) }

    /// A number below `bound`, which is from 1 to 65,536: of one byte where that is enough.
    public mutating func int(below bound: Int) -> Int {
        bound <= 256 ? Int(byte()) % bound : Int(uint16()) % bound
    }

    /// One of the elements, of which there is at least one.
    public mutating func pick<Element>(_ elements: [Element]) -> Element { elements[int(below: elements.count)] }

    /// The next `count` bytes, or what is left of them.
    public mutating func take(_ count: Int) -> [UInt8] {
        let end = min(bytes.count, offset + max(count, 0))
        defer { offset = end }
        return Array(bytes[offset..<end])
    }

    /// A length of one byte (two, where `maximum` asks for it), and that number of bytes.
    public mutating func bytes(upTo maximum: Int) -> [UInt8] { take(int(below: maximum + 1)) }

    /// All that is left.
    public mutating func rest() -> [UInt8] { take(remaining) }
}
