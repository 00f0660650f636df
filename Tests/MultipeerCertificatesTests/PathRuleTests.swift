import MultipeerCertificates
import MultipeerTestSupport
import Testing

@testable import MultipeerGnuTLS

/// GnuTLS judges some of the same things after these rules, and would hide one that is missing.
@Suite("Rules of a path, one at a time, SPEC §10.7")
struct PathRuleTests {
    private func path(_ certificates: TestAuthority...) throws -> CandidatePath {
        let below = try certificates.dropLast().map { try CertificateFields($0.certificate) }
        return CandidatePath(below: below, anchor: try TrustAnchor(try #require(certificates.last).certificate))
    }

    private func rejection(_ rule: () throws(CertificateRejection) -> Void) -> CertificateRejection? {
        do throws(CertificateRejection) {
            try rule()
            return nil
        } catch {
            return error
        }
    }

    @Test("Times are inclusive to the second")
    func seconds() throws {
        let root = try TestAuthority(days: 3)
        let leaf = try root.issue(days: 1)
        let (path, fields) = (try path(leaf, root), try CertificateFields(leaf.certificate))
        func judge(_ time: Int64) -> CertificateRejection? {
            rejection { () throws(CertificateRejection) in try ValidityRule.check(path, at: time) }
        }
        #expect(judge(fields.notBefore - 1) == .notYetValid)
        #expect(judge(fields.notBefore) == nil)
        #expect(judge(fields.notAfter) == nil)
        #expect(judge(fields.notAfter + 1) == .expired)
    }

    @Test("A path length does not count self-issued authorities")
    func selfIssued() throws {
        let root = try TestAuthority(
            extensions: "basicConstraints=critical,CA:TRUE,pathlen:0\nsubjectKeyIdentifier=hash\n")
        let authority = "basicConstraints=critical,CA:TRUE\nsubjectKeyIdentifier=hash\n"
        let successor = try root.issue("Root", extensions: authority)
        let other = try root.issue("Other", extensions: authority)
        func judge(_ intermediate: TestAuthority) throws -> CertificateRejection? {
            let path = try path(try intermediate.issue(), intermediate, root)
            return rejection { () throws(CertificateRejection) in
                try PathLengthRule.check(path, maximumIntermediates: 0)
            }
        }
        #expect(try CertificateFields(successor.certificate).isSelfIssued)
        #expect(try judge(successor) == nil)
        #expect(try judge(other) == .pathTooLong)
    }

    @Test(
        "Name constraints, by kind of name",
        arguments: [
            ("excluded;DNS:evil.example", "DNS:evil.example", false),
            ("excluded;DNS:evil.example", "DNS:a.evil.example", false),
            ("excluded;DNS:evil.example", "DNS:*.example", false),
            ("excluded;DNS:evil.example", "DNS:notevil.example", true),
            ("permitted;DNS:good.example", "DNS:a.good.example", true),
            ("permitted;DNS:good.example", "DNS:evilgood.example", false),
            ("permitted;DNS:good.example", "DNS:a.good.example,DNS:evil.example", false),
            ("permitted;DNS:good.example", "IP:127.0.0.1", true),
            ("permitted;IP:10.0.0.0/255.0.0.0", "IP:10.1.2.3", true),
            ("permitted;IP:10.0.0.0/255.0.0.0", "IP:11.0.0.1", false),
            ("excluded;IP:10.0.0.0/255.0.0.0", "IP:10.0.0.1", false),
            ("permitted;email:example.org", "email:ada@example.org", true),
            ("permitted;email:example.org", "email:ada@sub.example.org", false),
            ("excluded;email:eve@example.org", "email:eve@example.org", false),
            ("permitted;URI:.good.example", "URI:https://a.good.example/x", true),
            ("permitted;URI:.good.example", "URI:https://evilgood.example/", false),
            ("excluded;URI:.evil.example", "URI:https://a.evil.example/", false),
            ("excluded;URI:.evil.example", "URI:multipeer:peer/Ada", false),
        ])
    func constraints(constraint: String, names: String, isAllowed: Bool) throws {
        let root = try TestAuthority(
            extensions: TestAuthority.rootExtensions + "nameConstraints=critical,\(constraint)\n")
        let path = try path(try root.issue(extensions: "subjectAltName=\(names)\n"), root)
        let rejection = rejection { () throws(CertificateRejection) in try PathNameConstraintsRule.check(path) }
        #expect(rejection == (isAllowed ? nil : .nameConstraint))
    }

    @Test("An RSA exponent that makes verifying as slow as signing is refused")
    func exponents() throws {
        func der(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
            let count = content.count
            return [tag] + (count < 0x80 ? [UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]) + content
        }
        func key(exponent: [UInt8]) throws -> SubjectKey {
            let modulus = [0] + [UInt8](repeating: 0xFF, count: 256)
            let key = der(0x30, der(0x02, modulus) + der(0x02, exponent))
            let identifier: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
            let algorithm = der(0x30, der(0x06, identifier) + [0x05, 0])
            return try SubjectKey.read(subjectPublicKeyInfo: der(0x30, algorithm + der(0x03, [0] + key)))
        }
        #expect(try key(exponent: [1, 0, 1]) == .rsa(bits: 2048))
        #expect(try key(exponent: [1, 0, 0, 0, 1]) == .rsa(bits: 2048))
        #expect(try key(exponent: [1, 0, 0, 0, 0, 1]) == .other)
    }
}
