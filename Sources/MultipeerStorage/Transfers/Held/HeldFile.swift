import MultipeerCore
import MultipeerCrypto

/// The held beginning of a file, open and locked: no other process and no other file uses it.
struct HeldFile: ~Copyable {
    /// The directory that holds it.
    let place: OpenFile
    let file: OpenFile
    let name: String
    /// How many bytes are held.
    let length: UInt64

    /// Hashes what is held now, and not what anybody remembers of it (R15.7-2). The call blocks.
    borrowing func beginning(_ digest: any BulkDigest) throws(StorageError) -> HeldBeginning {
        try HeldBeginning.hashing(length, with: digest, path: file.path) { (bytes, offset) throws(StorageError) in
            var span = bytes.mutableSpan
            let count = try file.read(into: &span, at: Int64(offset))
            guard count == span.count else { throw StorageError(.read, file.path, .changedWhileReading) }
        }
    }
}

extension HeldBeginning {
    /// How much is read at a time, in bytes.
    private static var step: UInt64 { 1_048_576 }

    /// Hashes the first `length` bytes, which `fill` reads. The call blocks.
    static func hashing(
        _ length: UInt64, with digest: any BulkDigest, path: String,
        _ fill: (inout [UInt8], UInt64) throws(StorageError) -> Void
    ) throws(StorageError) -> HeldBeginning {
        // One digester returns the hash, and the other continues.
        let (hash, running) = (try makeDigester(digest, path), try makeDigester(digest, path))
        var offset: UInt64 = 0
        var buffer: [UInt8] = []
        while offset < length {
            let count = Int(min(length - offset, step))
            if buffer.count != count { buffer = [UInt8](repeating: 0, count: count) }
            try fill(&buffer, offset)
            hash.update(buffer.span)
            running.update(buffer.span)
            offset += UInt64(count)
        }
        do throws(CryptoFailure) {
            return HeldBeginning(length: length, digest: try hash.finish(), digester: running)
        } catch {
            throw StorageError(.read, path, .outOfSecretMemory)
        }
    }

    private static func makeDigester(_ digest: any BulkDigest, _ path: String) throws(StorageError) -> any Digester {
        do throws(CryptoFailure) {
            return try digest.makeDigester()
        } catch {
            // The library has no memory for a SHA-256.
            throw StorageError(.read, path, .outOfSecretMemory)
        }
    }
}
