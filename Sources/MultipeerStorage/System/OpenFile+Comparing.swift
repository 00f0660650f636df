/// Calls that compare content.
extension OpenFile {
    /// How much is read of both files at a time, in bytes.
    private static let step: UInt64 = 262_144

    /// Whether `count` bytes from `start` on are the first ones of another file.
    func hasSameBytes(
        as other: borrowing OpenFile, count: UInt64, from start: UInt64 = 0
    ) throws(StorageError) -> Bool {
        var offset: UInt64 = 0
        while offset < count {
            let length = Int(min(Self.step, count - offset))
            guard let own = try bytes(length, at: start + offset), try other.bytes(length, at: offset) == own else {
                return false
            }
            offset += UInt64(length)
        }
        return true
    }

    /// `count` bytes; nil at the end of the file.
    private func bytes(_ count: Int, at offset: UInt64) throws(StorageError) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var span = bytes.mutableSpan
        return try read(into: &span, at: Int64(offset)) == count ? bytes : nil
    }
}
