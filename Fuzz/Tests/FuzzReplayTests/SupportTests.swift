import FuzzSupport
import MultipeerCrypto
import MultipeerSodium
import MultipeerWire
import Testing

@Suite("What targets stand on")
struct SupportTests {
    @Test("Choices never fail, and read every byte once")
    func choices() {
        var choices = Choices([1, 2, 3, 4, 5, 0xFF, 7])
        let read = (choices.bool(), choices.uint16(), choices.int(below: 300), choices.bytes(upTo: 8))
        #expect(read == (true, 0x0203, 0x0405 % 300, [7]))
        let beyond = (choices.isEmpty, choices.byte(), choices.uint64(), choices.rest())
        #expect(beyond == (true, 0, 0, []))
    }

    @Test("Insecure tags tell every change, where they are asked to")
    func insecureTags() throws {
        let (summed, ignored) = (try key(.summed), try key(.ignored))
        let sealed = try seal(summed, nonce: 3)
        #expect(try open(summed, sealed, nonce: 3) == Array("text".utf8))
        #expect(throws: CryptoFailure.authenticationFailed) { try open(summed, sealed, nonce: 4) }
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: CryptoFailure.authenticationFailed) { try open(summed, changed, nonce: 3) }
            #expect(throws: Never.self) { try open(ignored, changed, nonce: 9) }
        }
    }

    @Test("Insecure agreement agrees; insecure signatures bind key and message")
    func insecureKeys() throws {
        let provider = FuzzCrypto.insecure(.summed)
        let (one, other) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
        let left = try provider.agreement.agree(
            try provider.agreement.makePrivateKey(rawBytes: one.span), with: try AgreementPublicKey(rawBytes: other))
        let right = try provider.agreement.agree(
            try provider.agreement.makePrivateKey(rawBytes: other.span), with: try AgreementPublicKey(rawBytes: one))
        let secrets = (left.withBytes { [UInt8](copying: $0) }, right.withBytes { [UInt8](copying: $0) })
        #expect(secrets.0 == secrets.1)

        let identity = InsecureIdentity(identityKey: try IdentityKey(rawBytes: one))
        let signature = try identity.sign(other.span)
        let stranger = try IdentityKey(rawBytes: other)
        let verdicts = (
            provider.signatures.isValid(signature.span, of: other.span, by: identity.identityKey),
            provider.signatures.isValid(signature.span, of: one.span, by: identity.identityKey),
            provider.signatures.isValid(signature.span, of: other.span, by: stranger)
        )
        #expect(verdicts == (true, false, false))
    }

    private func key(_ tags: InsecureAEAD.Tags) throws -> any AEADKey {
        try InsecureAEAD(tags: tags).makeKey(try FuzzCrypto.sodium.secrets.makeSecret(count: 32))
    }

    private func seal(_ key: any AEADKey, nonce: UInt64) throws -> [UInt8] {
        var buffer = Array("ad".utf8) + Array("text".utf8) + [UInt8](repeating: 0, count: aeadTagLength)
        var span = buffer.mutableSpan
        try key.seal(&span, associatedData: 0..<2, plaintext: 2..<6, nonce: nonce)
        return Array(buffer[2...])
    }

    private func open(_ key: any AEADKey, _ sealed: [UInt8], nonce: UInt64) throws -> [UInt8] {
        var plaintext: [UInt8] = []
        let associated = Array("ad".utf8)
        try plaintext.append(addingCapacity: sealed.count) { (output: inout OutputSpan<UInt8>) in
            try key.open(sealed.span, associatedData: associated.span, nonce: nonce, into: &output)
        }
        return plaintext
    }
}
