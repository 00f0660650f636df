internal import Foundation
internal import MultipeerCertificates
internal import MultipeerCrypto
internal import MultipeerGnuTLS

/// Certificates, their keys, and the signatures that nobody can make twice (ECDSA, RSA-PSS): the one committed input of the
/// generator, made once by `Scripts/make-vector-certificates`.
public struct Material: Sendable {
    /// A chain with the leaf's key.
    struct Key: Sendable {
        let algorithm: Int
        let chain: [[UInt8]]
        /// PKCS #8.
        let privateKey: [UInt8]

        /// As a step of the app in a script has it.
        var json: JSONValue {
            ["chain": .array(chain.map(JSONValue.hex)), "privateKey": .hex(privateKey)]
        }
    }

    private let keys: [String: Key]
    private let signatures: [String: [UInt8]]

    /// Reads the file's text.
    public init(text: [UInt8], file: String) throws(VectorFileError) {
        let json: JSONValue
        do { json = try JSONParser.parse(text) } catch { throw VectorFileError(file: file, reason: .json(error)) }
        let root = Members(json, path: "", file: file, test: nil)
        try root.only(["keys", "signatures"])
        let all = try root.members("keys")
        var keys: [String: Key] = [:]
        for name in all.keys {
            let key = try all.members(name)
            guard let privateKey = Hexadecimal.decode(try key.text("privateKey")) else {
                throw key.error(.badMember("keys.\(name).privateKey"))
            }
            keys[name] = Key(
                algorithm: try key.number("algorithm"), chain: try key.texts("chain").compactMap(Hexadecimal.decode),
                privateKey: privateKey)
        }
        self.keys = keys
        let made = try root.members("signatures")
        var signatures: [String: [UInt8]] = [:]
        for name in made.keys { signatures[name] = Hexadecimal.decode(try made.text(name)) }
        self.signatures = signatures
    }

    /// Reads the file.
    public init(path: String) throws(VectorFileError) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw VectorFileError(file: path, reason: .unreadable)
        }
        try self.init(text: [UInt8](data), file: path)
    }

    func key(_ name: String) throws(GeneratorFault) -> Key {
        guard let key = keys[name] else { throw .cannotBuild("no key \(name) in the material") }
        return key
    }

    /// The signature of a key over a message: made again if it is Ed25519, and looked up otherwise.
    func signature(_ name: String, _ message: [UInt8], crypto: SwiftCrypto) throws -> [UInt8] {
        let key = try key(name)
        guard key.algorithm == 0x0807 else {
            let digest = Hexadecimal.encode(crypto.sha256(message))
            guard let signature = signatures["\(name):\(digest)"] else {
                throw GeneratorFault.noSignature(key: name, message: Hexadecimal.encode(message))
            }
            return signature
        }
        let chain = key.chain.flatMap { PEM.encode(.certificate, $0) }
        let pem = PEM.encode(.privateKey, key.privateKey)
        let local = try CertificateLoader.local(chainPEM: chain.span, keyPEM: pem.span)
        return try local.signer.sign(message.span)
    }
}
