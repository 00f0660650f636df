public import MultipeerCrypto
public import MultipeerStorage

/// Why a session cannot be kept, or taken up again.
@nonexhaustive
public enum KeepingError: Error, Hashable, Sendable {
    /// The peer has no store: its identity ends with the process, and nobody would recognise it.
    case noStore
    /// A session of this peer is kept under that name already, or is the one that was kept under it.
    case inUse
    /// The file cannot be read, or is damaged.
    case storage(StorageError)
    /// What was kept is this other peer's.
    case foreign(IdentityKey)
    /// What was kept does not make this peer a member: somebody has made it up.
    case invalid
    /// A secret could not be used.
    case crypto(CryptoFailure)
}

extension KeepingError: CustomStringConvertible {
    /// Phase, reason and remedy.
    public var description: String { "session: \(reason). \(remedy)" }

    /// What is wrong, in a clause. A path in it can hold anything, so escape it for a terminal.
    public var reason: String {
        switch self {
        case .noStore: "the identity ends with the process, and nobody would recognise it"
        case .inUse: "this peer is in that session already"
        case .storage(let error): "\(error)"
        case .foreign(let owner): "the kept session is another peer's (\(owner))"
        case .invalid: "the kept session does not make this peer a member"
        case .crypto(let failure): "cryptography failed: \(failure)"
        }
    }

    /// What a person can do, in a sentence without a full stop.
    public var remedy: String {
        switch self {
        case .noStore: "Load the peer from a store"
        case .inUse: "Choose another name"
        case .storage(let error): String(error.remedy.dropLast())
        case .foreign: "Choose another name, or load the peer that has kept it"
        case .invalid: "Choose another name, and ask a member to be invited"
        case .crypto: "Check that libsodium and GnuTLS are installed"
        }
    }
}
