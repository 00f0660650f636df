import MultipeerCrypto
import MultipeerSodium

/// Guarded memory, as programs use it.
let lockedMemory: any SecretAllocator = {
    do {
        return try SodiumProvider().secrets
    } catch {
        fatalError("libsodium does not start: \(error)")
    }
}()

extension Secret {
    /// A copy of the bytes, for a test to look at.
    borrowing func copied() -> [UInt8] {
        withBytes { span in (0..<span.count).map { span[$0] } }
    }
}
