import MultipeerCrypto
import MultipeerSodium
import MultipeerTestSupport
import MultipeerWire
import Testing

@Suite("The strictness of the verifying library, SPEC §9.6")
struct StrictnessTests {
    /// A verifier that has one of the faults that libraries have had.
    private struct LenientVerifier: IdentitySignatureVerifier {
        let accepts: @Sendable (_ signature: [UInt8], _ key: IdentityKey) -> Bool

        func isValid(_ signature: Span<UInt8>, of message: Span<UInt8>, by key: IdentityKey) -> Bool {
            let bytes = [UInt8](copying: signature)
            return TestProvider.sodium.signatures.isValid(signature, of: message, by: key) || accepts(bytes, key)
        }
    }

    @Test("The linked libsodium is strict, R9.6-3")
    func linked() throws {
        #expect(Ed25519Strictness.isStrict(TestProvider.sodium.signatures))
        _ = try SodiumProvider()
    }

    @Test("A library that accepts one kind that R9.6-1 forbids, or accepts nothing, is detected")
    func lenient() {
        let neutral = [1] + [UInt8](repeating: 0, count: 31)
        let again = [0xEE] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]
        let kinds: [@Sendable ([UInt8], IdentityKey) -> Bool] = [
            { signature, _ in signature[63] >= 0x10 }, { _, key in key.rawBytes == neutral },
            { _, key in key.rawBytes == again }, { signature, _ in Array(signature.prefix(32)) == neutral },
            { signature, _ in Array(signature.prefix(32)) == again },
        ]
        for accepts in kinds { #expect(!Ed25519Strictness.isStrict(LenientVerifier(accepts: accepts))) }
        #expect(Ed25519Strictness.isStrict(LenientVerifier { _, _ in false }))
        struct Refusing: IdentitySignatureVerifier {
            func isValid(_ signature: Span<UInt8>, of message: Span<UInt8>, by key: IdentityKey) -> Bool { false }
        }
        #expect(!Ed25519Strictness.isStrict(Refusing()))
    }
}
