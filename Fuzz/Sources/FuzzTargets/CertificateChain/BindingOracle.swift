import FuzzSupport
import MultipeerCertificates
import MultipeerCrypto
import MultipeerGnuTLS
import MultipeerSodium

/// Signatures of links by leaves' keys (SPEC §10.3, §10.4), and fingerprints of these keys (SPEC §10.6).
///
/// The signatures are those of the vectors. Without a key nobody makes another, so only the genuine one verifies.
enum BindingOracle {
    static func verify(_ choices: inout Choices) throws {
        let kind = choices.pick(Fixtures.kinds)
        let (leaf, message, signature) = (
            Fixtures.keys["\(kind) leaf"] ?? [], Fixtures.bindings["\(kind) message"] ?? [],
            Fixtures.bindings["\(kind) signature"] ?? []
        )
        let genuine = algorithm(of: kind)
        let algorithm = choices.pick([genuine] + SignatureAlgorithm.allCases)
        let shownSignature = SignatureEdits.apply(&choices, to: signature)
        let shownMessage = SignatureEdits.apply(&choices, to: message)
        let shownLeaf = CertificateEdits.apply(&choices, to: leaf)
        guard let chain = try? UnverifiedCertificateChain([Certificate(der: shownLeaf)]) else { return }
        let isGenuine = algorithm == genuine && shownSignature == signature && shownMessage == message
        do {
            let fingerprint = try GnuTLSBindingVerifier(strictEd25519: FuzzCrypto.sodium.signatures).verifyBinding(
                shownSignature.span, algorithm: algorithm, over: shownMessage.span, by: chain)
            try require(isGenuine, "\(kind): a signature that nobody made")
            try requireEqual(fingerprint, try self.fingerprint(leaf), "\(kind): the key that signed")
        } catch let rejection as CertificateRejection {
            try require(!isGenuine || shownLeaf != leaf, "\(kind): a genuine signature is refused: \(rejection)")
            try require(
                [.malformed, .unsupportedKey, .weakKey, .bindingInvalid].contains(rejection),
                "a binding is refused for \(rejection)")
        }
        if let model = try self.fingerprint(shownLeaf) {
            do {
                let seen = try CertificateLoader.fingerprint(of: chain.leaf)
                try requireEqual(seen, model, "\(kind): a fingerprint")
            } catch is CertificateRejection {
                try require(shownLeaf != leaf, "\(kind): no fingerprint of a genuine leaf")
            }
        }
    }

    private static func algorithm(of kind: String) -> SignatureAlgorithm {
        switch kind {
        case "p256": .ecdsaP256SHA256
        case "p384": .ecdsaP384SHA384
        case "rsa": .rsaPSSSHA256
        default: .ed25519
        }
    }

    /// SHA-256 over the seventh field of a TBSCertificate of version 3, by libsodium.
    private static func fingerprint(_ der: [UInt8]) throws -> KeyFingerprint? {
        guard let fields = DERTree(der)?.children.first?.children, fields.first?.tag == 0xA0, fields.count > 6 else {
            return nil
        }
        let (key, nothing): ([UInt8], [UInt8]) = (fields[6].bytes, [])
        return KeyFingerprint(digest: FuzzCrypto.sodium.hashing.hash(key.span, nothing.span))
    }
}

/// Changes to a few bytes.
enum SignatureEdits {
    static func apply(_ choices: inout Choices, to bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        let kind = choices.int(below: 8)
        let place = kind == 0 ? 0 : min(choices.int(below: 512), bytes.count)
        switch kind {
        case 1 where place < bytes.count: bytes[place] ^= choices.byte()
        case 2: bytes.insert(contentsOf: choices.bytes(upTo: 8), at: place)
        case 3 where place < bytes.count: bytes.remove(at: place)
        case 4: bytes.removeSubrange(place...)
        case 5:
            // The signature's own DER, with lengths that fit: what BER allows and DER does not.
            guard let tree = DERTree(bytes) else { break }
            let number = choices.int(below: max(tree.count, 1))
            let front = choices.bytes(upTo: 3)
            bytes = tree.replacing(number) { [Self.prepended($0, front)] }.flatMap(\.bytes)
        default: break
        }
        return bytes
    }

    private static func prepended(_ tree: DERTree, _ front: [UInt8]) -> DERTree {
        guard case .leaf(let tag, let content) = tree else { return tree }
        return .leaf(tag: tag, content: front + content)
    }
}
