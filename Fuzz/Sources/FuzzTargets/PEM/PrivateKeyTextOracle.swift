import FuzzSupport
import MultipeerCertificates
import MultipeerCrypto
import MultipeerGnuTLS
import MultipeerSodium

/// Private keys in PEM (docs/formats.md, "Certificates and keys").
enum PrivateKeyTextOracle {
    private static let message = Array("a message that nobody else signs".utf8)
    private static let kinds = ["PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY", "ENCRYPTED PRIVATE KEY"]

    /// The first byte picks the leaf whose key the rest is to hold.
    static func read(_ choices: inout Choices) throws {
        let leaf = Certificate(der: choices.pick(Fixtures.leaves))
        let text = choices.rest()
        let model = ModelPEM(text)
        let keys = model.blocks.filter { kinds.contains($0.label) }
        do {
            let signer = try CertificateLoader.signer(keyPEM: text.span, for: leaf)
            try require(model.fault == nil && !model.isOverCount, "a key out of a text that is no PEM")
            try requireEqual(keys.map(isEncrypted), [false], "blocks with keys")
            try check(signer, leaf)
        } catch let error as CertificateFileError {
            try check(error, model, keys)
        }
    }

    private static func isEncrypted(_ block: ModelPEM.Block) -> Bool {
        block.isEncrypted || block.label == "ENCRYPTED PRIVATE KEY"
    }

    private static func check(
        _ error: CertificateFileError, _ model: ModelPEM, _ keys: [ModelPEM.Block]
    ) throws(OracleFailure) {
        switch error {
        case .malformedPEM(let line): return try requireEqual(line, model.fault, "the line that is wrong")
        case .tooManyBlocks: return try require(model.isOverCount, "too many blocks")
        default: try require(model.fault == nil && !model.isOverCount, "not even PEM, but refused for \(error)")
        }
        switch error {
        case .noPrivateKey: try requireEqual(keys.count, 0, "keys where there is none")
        case .severalPrivateKeys: try require(keys.count > 1, "several keys where there are \(keys.count)")
        case .encryptedPrivateKey: try requireEqual(keys.map(isEncrypted), [true], "a key under a passphrase")
        case .malformedPrivateKey, .keyDoesNotMatchLeaf:
            try requireEqual(keys.map(isEncrypted), [false], "blocks with keys")
        default: throw OracleFailure("a key is refused for \(error)")
        }
    }

    /// A key that was taken for the leaf's is the leaf's.
    private static func check(_ signer: GnuTLSBindingSigner, _ leaf: Certificate) throws {
        let signature = try signer.sign(message.span)
        let chain = try UnverifiedCertificateChain([leaf])
        do {
            _ = try GnuTLSBindingVerifier(strictEd25519: FuzzCrypto.sodium.signatures).verifyBinding(
                signature.span, algorithm: signer.algorithm, over: message.span, by: chain)
        } catch {
            throw OracleFailure("a key that was taken for the leaf's signs what the leaf does not verify: \(error)")
        }
    }
}
