import Glibc

/// Calls that write files with holes: ranges that take no room on the disk, and that are read as zeros.
extension OpenFile {
    /// What a disk can leave out, in bytes: a block of the usual disks. Where blocks are larger, the disk itself fills them up.
    private static let block: UInt64 = 4_096

    /// Appends bytes to a file that ends at `end`. Blocks of zeros become holes, as far as the disk can do that, whatever pieces they
    /// come in. The file is as long as what has been appended at any time, so its beginning is right whenever the process is killed.
    func append(_ bytes: Span<UInt8>, at end: UInt64) throws(StorageError) {
        var rest = bytes
        var end = end
        while !rest.isEmpty {
            let (count, isZero) = Self.firstRun(of: rest, at: end)
            // A disk on which a file does not grow so gets the zeros themselves, and says what is wrong.
            if !isZero || !extend(to: end + UInt64(count)) { try write(rest.extracting(first: count), at: end) }
            rest = rest.extracting(droppingFirst: count)
            end += UInt64(count)
        }
    }

    /// How many bytes at the beginning are in blocks of zeros, or in blocks that hold something else. The bytes of a block that come
    /// earlier or later do not count.
    private static func firstRun(of bytes: Span<UInt8>, at offset: UInt64) -> (count: Int, isZero: Bool) {
        var count = 0
        var isZeroRun: Bool?
        while count < bytes.count {
            let left = block - (offset + UInt64(count)) % block
            let piece = bytes.extracting(droppingFirst: count).extracting(first: Int(min(left, UInt64(bytes.count))))
            let isZero = piece.isZero
            guard isZero == isZeroRun ?? isZero else { break }
            isZeroRun = isZero
            count += piece.count
        }
        return (count, isZeroRun ?? false)
    }

    /// Makes the file longer without writing. Returns whether that worked.
    private func extend(to length: UInt64) -> Bool {
        guard let length = off_t(exactly: length) else { return false }
        return uninterrupted { ftruncate(descriptor, length) } == 0
    }

    /// Writes all bytes at `offset`, which is the end of the file.
    private func write(_ bytes: Span<UInt8>, at offset: UInt64) throws(StorageError) {
        var rest = bytes
        var offset = offset
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { buffer in
                // SAFETY: the buffer is ours during the call, and its count is passed along.
                uninterrupted { unsafe pwrite(descriptor, buffer.baseAddress, buffer.count, off_t(clamping: offset)) }
            }
            guard count >= 0 else { throw .last(.write, path) }
            rest = rest.extracting(droppingFirst: count)
            offset += UInt64(count)
        }
    }
}

extension Span<UInt8> {
    /// Whether there are only zeros.
    fileprivate var isZero: Bool {
        guard !isEmpty, self[0] == 0 else { return isEmpty }
        return unsafe withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress else { return true }
            // SAFETY: both ranges lie in the buffer. If each byte is as the one before it, all are as the first.
            return unsafe memcmp(start, start + 1, buffer.count - 1) == 0
        }
    }
}
