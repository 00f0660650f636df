import FuzzSupport
import MultipeerCrypto

extension Choices {
    /// An identity key that begins with the next bytes, up to `count` of them, and continues with one byte to its
    /// length.
    mutating func identityKey(_ count: Int, then filler: UInt8) -> IdentityKey {
        let bytes = take(count) + [UInt8](repeating: filler, count: IdentityKey.length)
        do {
            return try IdentityKey(rawBytes: Array(bytes.prefix(IdentityKey.length)))
        } catch {
            fatalError("a key of its length: \(error)")
        }
    }
}
