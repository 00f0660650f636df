import Foundation
import MultipeerCertificates
import MultipeerGnuTLS
import MultipeerTestSupport
import Testing

@Suite("Bundles of trust anchors, SPEC §10.7")
struct AnchorBundleTests {
    private static let systemBundle = "/etc/ssl/certs/ca-certificates.crt"

    @Test("Entries that cannot be anchors are skipped and listed; the others are trusted")
    func made() throws {
        let good = try TestAuthority("Good")
        let leaf = try good.issue()
        let lax = try TestAuthority("Lax", extensions: "basicConstraints=CA:TRUE\n")
        let rubbish = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"
        var text = Array("# a comment\n".utf8)
        text += try Scratch.read(lax.certificateFile) + Scratch.read(good.certificateFile) + Array(rubbish.utf8)
        text += try Scratch.read(leaf.certificateFile)
        let bundle = try CertificateLoader.anchorBundle(pem: text.span)
        #expect(try bundle.anchors == [good.certificate])
        #expect(bundle.count == 4 && bundle.skipped.map(\.index) == [0, 2, 3])
        #expect(bundle.skipped.map(\.rejection) == [.notAnAuthority, .malformed, .notAnAuthority])
        let validator = try GnuTLSPathValidator(anchors: bundle.anchors) { secondsNow() }
        #expect(try rejection(of: UnverifiedCertificateChain([leaf.certificate]), by: validator) == nil)
    }

    @Test("If no entry is of use, the reason is that of the certificate")
    func useless() throws {
        let rubbish = Array("-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n".utf8)
        #expect(throws: CertificateFileError.malformedCertificate(index: 0)) {
            try CertificateLoader.anchorBundle(pem: rubbish.span)
        }
        #expect(throws: CertificateFileError.noCertificate) {
            try CertificateLoader.anchorBundle(pem: [UInt8]("nothing".utf8).span)
        }
        let lax = try TestAuthority("Lax", extensions: "basicConstraints=CA:TRUE\n")
        let text = try Scratch.read(lax.certificateFile)
        #expect(try CertificateLoader.anchorBundle(pem: text.span).anchors.count == 1)
    }

    @Test(
        "The system's authorities load",
        .enabled("there is no bundle of the system") { FileManager.default.fileExists(atPath: systemBundle) })
    func system() throws {
        let text = try Scratch.read(Self.systemBundle)
        let bundle = try CertificateLoader.anchorBundle(pem: text.span)
        let count = String(decoding: text, as: UTF8.self).components(separatedBy: "BEGIN CERTIFICATE").count - 1
        #expect(bundle.count == count && bundle.anchors.count > count / 2)
        _ = try GnuTLSPathValidator(anchors: bundle.anchors) { secondsNow() }
    }
}
