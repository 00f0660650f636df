import MultipeerCertificates
import MultipeerTestSupport
import Testing

@testable import MultipeerGnuTLS

@Suite("Names and forms that only look alike, SPEC §10.7")
struct ForeignFormTests {
    private func judge(_ names: String, _ expected: ExpectedName) throws -> CertificateRejection? {
        let root = try TestAuthority()
        let leaf = try root.issue(extensions: "subjectAltName=\(names)\n")
        return try rejection(
            of: [leaf], anchors: [root], requirements: PathRequirements(expectedNames: [expected]))
    }

    @Test("An IPv6 address whose prefix is an IPv4 address is another name, and the reverse")
    func addresses() throws {
        let short: [UInt8] = [127, 0, 0, 1]
        let long = short + [UInt8](repeating: 0, count: 12)
        #expect(try judge("IP:7f00:1::", .ip(long)) == nil)
        #expect(try judge("IP:7f00:1::", .ip(short)) == .nameMismatch)
        #expect(try judge("IP:127.0.0.1", .ip(short)) == nil)
        #expect(try judge("IP:127.0.0.1", .ip(long)) == .nameMismatch)
    }

    @Test("A range of one family holds no address of the other, whatever its first bytes are")
    func ranges() throws {
        let short = try #require(AddressRange([127, 0, 0, 0, 255, 0, 0, 0]))
        let prefix: [UInt8] = [127] + [UInt8](repeating: 0, count: 15)
        let long = try #require(AddressRange(prefix + [255] + [UInt8](repeating: 0, count: 15)))
        #expect(short.contains([127, 0, 0, 1]))
        #expect(!short.contains(prefix))
        #expect(long.contains(prefix))
        #expect(!long.contains([127, 0, 0, 1]))
    }

    @Test("A mailbox in the subject is constrained, although the alternative names hold a permitted one")
    func subjectMailbox() throws {
        let constraint = "nameConstraints=critical,permitted;email:example.org\n"
        let root = try TestAuthority(extensions: TestAuthority.rootExtensions + constraint)
        let names = "subjectAltName=email:ada@example.org\n"
        let good = try root.issue("peer/emailAddress=eve@example.org", extensions: names)
        let bad = try root.issue("peer/emailAddress=eve@evil.example", extensions: names)
        #expect(try rejection(of: [good], anchors: [root]) == nil)
        #expect(try rejection(of: [bad], anchors: [root]) == .nameConstraint)
    }

    @Test("An extension that occurs twice is malformed, whatever its values")
    func duplicateExtensions() {
        let (one, other): ([UInt8], [UInt8]) = ([0x2A, 0x03, 0x04], [0x2A, 0x03, 0x05])
        func rejection(_ identifiers: [[UInt8]]) -> CertificateRejection? {
            // Extension ::= SEQUENCE { extnID, extnValue OCTET STRING of an empty SEQUENCE }
            var list: [UInt8] = []
            for identifier in identifiers { list += [0x30, 9, 0x06, 3] + identifier + [0x04, 2, 0x30, 0] }
            let sequence: [UInt8] = [0x30, UInt8(list.count)] + list
            var reader = DERReader([0xA3, UInt8(sequence.count)] + sequence)
            do throws(CertificateRejection) {
                _ = try CertificateExtensions(&reader, version: 3)
                return nil
            } catch {
                return error
            }
        }
        #expect(rejection([one, other]) == nil)
        #expect(rejection([one, one]) == .malformed)
        #expect(rejection([one, other, one]) == .malformed)
    }

    @Test("The signed algorithm and the one beside the signature must be equal")
    func algorithms() throws {
        let certificate = try TestAuthority("Root", .p256).issue().certificate
        let fields = try CertificateFields(certificate)
        try SignatureAlgorithmRule.check(fields, .leaf)
        // ecdsa-with-SHA256 becomes ecdsa-with-SHA384 in one place, which is as sound.
        let identifier: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]
        let starts = certificate.der.indices.filter { certificate.der[$0...].starts(with: identifier) }
        #expect(starts.count == 2)
        for start in starts {
            var der = certificate.der
            der[start + identifier.count - 1] = 0x03
            let changed = try CertificateFields(Certificate(der: der))
            for position in [PathPosition.leaf, .intermediate, .anchor] {
                #expect(throws: CertificateRejection.malformed) {
                    try SignatureAlgorithmRule.check(changed, position)
                }
            }
        }
    }
}
