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
        try file.beginning(length: length, digest)
    }
}

extension OpenFile {
    /// How much is read at a time to hash it, in bytes.
    private static var hashingStep: UInt64 { 1_048_576 }

    /// Hashes the first `length` bytes. The call blocks.
    borrowing func beginning(length: UInt64, _ digest: any BulkDigest) throws(StorageError) -> HeldBeginning {
        do {
            // One digester says the hash, and the other goes on.
            let (hash, running) = (try digest.makeDigester(), try digest.makeDigester())
            var offset: UInt64 = 0
            var buffer = [UInt8](repeating: 0, count: Int(min(length, Self.hashingStep)))
            while offset < length {
                if length - offset < UInt64(buffer.count) { buffer.removeLast(buffer.count - Int(length - offset)) }
                var span = buffer.mutableSpan
                let count = try read(into: &span, at: Int64(offset))
                guard count == buffer.count else { throw StorageError(.read, path, .changedWhileReading) }
                hash.update(buffer.span)
                running.update(buffer.span)
                offset += UInt64(count)
            }
            return HeldBeginning(length: length, digest: try hash.finish(), digester: running)
        } catch let error as StorageError {
            throw error
        } catch {
            // The library has no memory for a SHA-256.
            throw StorageError(.read, path, .outOfSecretMemory)
        }
    }
}
