public import MultipeerCrypto
public import MultipeerStorage

/// Why a peer cannot be loaded or created.
@nonexhaustive
public enum PeerError: Error, Sendable {
    /// The name is no display name.
    case name(DisplayNameError)
    /// The store cannot be read or written.
    case store(PeerStoreError)
    /// A file of the store cannot be read or written.
    case storage(StorageError)
    /// The cryptographic libraries do not work.
    case crypto(CryptoFailure)
}

extension PeerError: CustomStringConvertible {
    /// Phase, reason and remedy.
    public var description: String {
        switch self {
        case .name(.empty): "identity: the name is empty. Give the peer a name"
        case .name(.tooLong(let count)):
            "identity: the name has \(count) bytes. Choose one of at most \(DisplayName.maximumLength)"
        case .name(.controlCharacter): "identity: the name has characters that cannot be seen. Choose another one"
        case .name(.blank): "identity: the name is blank. Give the peer a name"
        case .store(let error): "\(error)"
        case .storage(let error): "\(error)"
        case .crypto(let failure):
            "identity: cryptography failed: \(failure). Check that libsodium and GnuTLS are installed"
        }
    }
}
