import Foundation
import MultipeerCrypto
import MultipeerSodium
import MultipeerStorage

/// The private keys of archived peer IDs, in the user's store: a folder for each, by its public key.
enum KeptIdentities {
    /// The store of an identity.
    static func store(of key: IdentityKey) throws(PeerStoreError) -> PeerStore {
        PeerStore(directory: try folder() + "/\(key)")
    }

    private static func folder() throws(PeerStoreError) -> String { try PeerStore.ofUser().directory + "/connectivity" }

    /// Keeps a key, unless it is kept already.
    static func keep(_ signer: SodiumIdentity, named name: DisplayName) throws(PeerStoreError) {
        let store = try store(of: signer.identityKey)
        let secrets = Cryptography.sodium.secrets
        let seed: Secret
        do throws(CryptoFailure) {
            seed = try signer.withSeed { (seed) throws(CryptoFailure) in try secrets.makeSecret(copying: seed) }
        } catch {
            throw .crypto(error)
        }
        do throws(StorageError) {
            try store.prepare()
            try IdentityFile.create(at: store.identityPath, name: name, seed: seed, secrets: secrets)
        } catch {
            if error.reason != .alreadyExists { throw .storage(error) }
        }
    }

    /// The key that is kept under a tag.
    static func find(_ tag: KeyTag) -> SodiumIdentity? {
        guard let folder = try? folder(), let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
        else { return nil }
        for name in names {
            guard let key = IdentityKey(name), Cryptography.tag(of: key) == tag,
                let kept = try? PeerStore(directory: folder + "/" + name).loadIdentity(signers: Cryptography.sodium),
                let signer = kept.signer as? SodiumIdentity, signer.identityKey == key
            else { continue }
            return signer
        }
        return nil
    }
}
