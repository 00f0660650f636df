public import MultipeerCrypto

/// The identity of the local peer: its key and its name.
public struct LocalIdentity: Sendable {
    /// Signs with the identity key.
    public let signer: any IdentitySigner
    /// The local display name.
    public let name: DisplayName
    /// Whether nothing of it is stored, so that it ends with the process.
    public let isEphemeral: Bool

    /// What others see.
    public var peer: PeerID { PeerID(key: signer.identityKey, displayName: name) }

    /// Joins a key and a name.
    public init(signer: any IdentitySigner, name: DisplayName, isEphemeral: Bool = false) {
        self.signer = signer
        self.name = name
        self.isEphemeral = isEphemeral
    }

    /// Creates an identity that ends with the process. Its name reveals only a part of its key (SPEC §21).
    /// - Parameters:
    ///   - random: Where the key comes from.
    ///   - signers: Makes the signer, such as `SodiumProvider`.
    public static func ephemeral(
        random: inout any RandomSource, signers: any IdentitySignerFactory
    ) throws(CryptoFailure) -> LocalIdentity {
        var seed = try signers.secretAllocator.makeSecret(count: IdentityFile.seedLength)
        seed.withMutableBytes { bytes in random.fill(&bytes) }
        let signer = try signers.makeSigner(seed: seed)
        guard let name = try? DisplayName("peer-" + signer.identityKey.description.prefix(8)) else {
            throw .malformedKey
        }
        return LocalIdentity(signer: signer, name: name, isEphemeral: true)
    }

    /// The same identity under another name, if there is one.
    public func renamed(_ name: DisplayName?) -> LocalIdentity {
        LocalIdentity(signer: signer, name: name ?? self.name, isEphemeral: isEphemeral)
    }
}
