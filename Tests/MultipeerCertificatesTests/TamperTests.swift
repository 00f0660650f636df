import MultipeerCertificates
import MultipeerCrypto
import MultipeerGnuTLS
import MultipeerTestSupport
import Testing

@Suite("Damaged certificates, SPEC §10.2 and §10.7")
struct TamperTests {
    /// Verifies with a good signature, then against the anchor; nil when both accept.
    private func judge(
        _ leaf: Certificate, _ rest: [Certificate], signature: [UInt8], message: [UInt8],
        _ validator: GnuTLSPathValidator
    ) -> CertificateRejection? {
        do throws(CertificateRejection) {
            guard let chain = try? UnverifiedCertificateChain([leaf] + rest) else { return .malformed }
            _ = try GnuTLSBindingVerifier(strictEd25519: StrictSignatures.verifier).verifyBinding(
                signature.span, algorithm: .ed25519, over: message.span, by: chain)
            _ = try validator.validate(chain, requirements: PathRequirements())
            return nil
        } catch {
            return error
        }
    }

    @Test("No byte of a leaf can be changed, dropped or added", arguments: [UInt8(0x01), 0x80, 0xFF])
    func everyByte(mask: UInt8) throws {
        let root = try TestAuthority("R", .ed25519)
        let leaf = try root.issue("p", .ed25519)
        let certificate = try leaf.certificate
        let key = try Scratch.read(leaf.keyFile)
        let signer = try CertificateLoader.signer(keyPEM: key.span, for: certificate)
        let message = Array("binding".utf8)
        let signature = try signer.sign(message.span)
        let now = secondsNow()
        let validator = try GnuTLSPathValidator(anchors: [root.certificate]) { now }
        #expect(judge(certificate, [], signature: signature, message: message, validator) == nil)

        for index in certificate.der.indices {
            var der = certificate.der
            der[index] ^= mask
            let changed = Certificate(der: der)
            #expect(judge(changed, [], signature: signature, message: message, validator) != nil, "byte \(index)")
            // The path alone must not accept it either.
            let chain = try UnverifiedCertificateChain([changed])
            #expect(rejection(of: chain, by: validator) != nil, "byte \(index)")
        }
        for length in certificate.der.indices {
            let cut = Certificate(der: Array(certificate.der.prefix(length)))
            #expect(judge(cut, [], signature: signature, message: message, validator) == .malformed)
        }
        let longer = Certificate(der: certificate.der + [0])
        #expect(judge(longer, [], signature: signature, message: message, validator) == .malformed)
    }

    @Test("A damaged intermediate never helps a leaf, whichever byte is damaged")
    func intermediate() throws {
        let root = try TestAuthority("R", .ed25519)
        let middle = try root.issue(
            "M", .ed25519, extensions: "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\n")
        let leaf = try middle.issue(
            "p", .ed25519, extensions: "basicConstraints=critical,CA:FALSE\nkeyUsage=critical,digitalSignature\n")
        let now = secondsNow()
        let validator = try GnuTLSPathValidator(anchors: [root.certificate]) { now }
        let (leafCertificate, good) = (try leaf.certificate, try middle.certificate)
        #expect(rejection(of: try UnverifiedCertificateChain([leafCertificate, good]), by: validator) == nil)
        for index in good.der.indices {
            var der = good.der
            der[index] ^= 0x01
            let chain = try UnverifiedCertificateChain([leafCertificate, Certificate(der: der)])
            #expect(rejection(of: chain, by: validator) != nil, "byte \(index)")
        }
    }

    @Test("Chains over a limit are refused before they are parsed")
    func limits() throws {
        func error(_ certificates: [Certificate]) -> CertificateChainError? {
            do throws(CertificateChainError) {
                _ = try UnverifiedCertificateChain(certificates)
                return nil
            } catch {
                return error
            }
        }
        let small = Certificate(der: [0x30, 0x00])
        let edge = Certificate(der: [UInt8](repeating: 0, count: UnverifiedCertificateChain.maximumCertificateLength))
        #expect(error([]) == .empty)
        #expect(error([Certificate(der: [])]) == .emptyCertificate)
        #expect(error([Certificate](repeating: small, count: 8)) == nil)
        #expect(error([Certificate](repeating: small, count: 9)) == .tooManyCertificates)
        #expect(error([edge]) == nil)
        #expect(error([Certificate(der: edge.der + [0])]) == .certificateTooLong)
        #expect(error([edge, edge, edge]) == nil)
        #expect(error([edge, edge, edge, small]) == .chainTooLong)
    }

    @Test("Garbage of many shapes is malformed, and never a trap")
    func rubbish() throws {
        let validator = try GnuTLSPathValidator(anchors: []) { 0 }
        var generator = SplitMix(state: 42)
        for _ in 0..<2000 {
            let length = Int(generator.next() % 64) + 1
            var der = (0..<length).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
            if generator.next() & 1 == 0 { der = [0x30, UInt8(der.count)] + der }
            let chain = try UnverifiedCertificateChain([Certificate(der: der)])
            #expect(rejection(of: chain, by: validator) == .malformed)
        }
    }
}

/// A seeded generator, so that a failure comes back.
struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
