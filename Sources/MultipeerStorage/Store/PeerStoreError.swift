public import MultipeerCrypto

/// Why a store cannot be used.
@nonexhaustive
public enum PeerStoreError: Error, Hashable, Sendable {
    /// The disk, or what is on it.
    case storage(StorageError)
    /// The key could not be made or used.
    case crypto(CryptoFailure)
    /// No environment variable says where the user's folders are.
    case noHomeDirectory
    /// This environment variable is not UTF-8. Repaired text would name another folder.
    case variableIsNotText(String)
}

extension PeerStoreError: CustomStringConvertible {
    /// What is wrong, in a clause without a full stop. A path in it can hold anything, so escape it for a terminal.
    public var description: String {
        switch self {
        case .storage(let error): "\(error)"
        case .crypto(let failure): "cryptography failed: \(failure)"
        case .noHomeDirectory: "there is no home directory"
        case .variableIsNotText(let name): "the environment variable \(name) is not UTF-8"
        }
    }
}
