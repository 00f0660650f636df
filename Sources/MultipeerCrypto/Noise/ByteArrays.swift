extension Array where Element == UInt8 {
    /// A copy of `span`.
    init(copying span: Span<UInt8>) {
        self.init()
        append(contentsOf: span)
    }

    mutating func append(contentsOf bytes: Span<UInt8>) {
        reserveCapacity(count + bytes.count)
        for index in bytes.indices { append(bytes[index]) }
    }
}
