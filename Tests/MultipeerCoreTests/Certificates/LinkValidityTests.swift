import MultipeerCertificates
import MultipeerCore
import MultipeerGnuTLS
import MultipeerTestSupport
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("How long a verdict is valid, SPEC §10.5")
struct LinkValidityTests {
    @Test(
        "A link closes when its certificate expires, and both peers report that, R10.5-5",
        arguments: CertificateTests.roles)
    func validity(role: LinkRole) async throws {
        let root = try OpenSSL.root.get()
        let (mine, theirs) = (try root.leaf(.p256), try root.leaf(.ed25519))
        let leaf = try CertificateInspection(role == .initiator ? theirs.chain.leaf : mine.chain.leaf, as: .leaf)
        let pair = try CertificateTests.asked(.chaChaPoly, mine, theirs)
        let one = try #require(CertificateTests.evidence(pair.effects(of: role)))
        let other = try #require(CertificateTests.evidence(pair.effects(of: role.peer)))
        // Its last second counts.
        let paths = try GnuTLSPathValidator(anchors: [root.anchor]) { leaf.notAfter - 4 }
        let verdict = await TrustAnchorValidator(paths: paths).verify(one.1)
        #expect(verdict == .accepted(.trustAnchor(validFor: .seconds(5))))
        for (judge, token, verdict) in [(role, one.0, verdict), (role.peer, other.0, .accepted(.unverified))] {
            try pair.pair.act(judge) { (link, now) throws(RequestError) in
                try link.submitVerdict(verdict, for: token, at: now)
            }
        }
        pair.pair.run()
        pair.pair.advance(by: .milliseconds(4_999))
        #expect(pair.stages == (.open, .open))
        pair.pair.advance(by: .milliseconds(1))
        #expect(pair.failure(of: role)?.cause == .certificate(.expired))
        #expect(pair.failure(of: role.peer)?.cause == .peerClosed(.certificateExpired))
    }
}
