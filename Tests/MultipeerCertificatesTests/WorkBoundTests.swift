import MultipeerCertificates
import MultipeerTestSupport
import Testing

@testable import MultipeerGnuTLS

/// Bounds are counted, not timed.
@Suite("Bounds on the work for one chain, SPEC §10.7")
struct WorkBoundTests {
    private static let nameless =
        "basicConstraints=critical,CA:TRUE\nsubjectKeyIdentifier=none\nauthorityKeyIdentifier=none\n"

    private func twins(_ count: Int) throws -> [CertificateFields] {
        try (0..<count).map { _ in
            try CertificateFields(TestAuthority("Twin", .ed25519, extensions: Self.nameless).certificate)
        }
    }

    @Test("Authorities that all name each other cost at most 4,096 steps")
    func steps() throws {
        let twins = try twins(8)
        let search = PathBuilder(leaf: twins[0], intermediates: Array(twins.dropFirst()), anchors: [])
        #expect(search.steps == PathBuilder.maximumSteps)
        #expect(PathBuilder.maximumSteps == 4_096)
        #expect(search.isCutShort)
        #expect(search.paths.isEmpty)
        let few = PathBuilder(leaf: twins[0], intermediates: Array(twins[1...2]), anchors: [])
        #expect(few.steps == 10)
        #expect(!few.isCutShort)
    }

    @Test("At most 16 candidate paths are judged, R10.7-2")
    func paths() throws {
        let twins = try twins(6)
        let search = try PathBuilder(
            leaf: twins[0], intermediates: Array(twins[1...4]), anchors: [TrustAnchor(twins[5].certificate)])
        #expect(search.paths.count == PathBuilder.maximumPaths)
        #expect(PathBuilder.maximumPaths == 16)
        #expect(search.isCutShort)
    }

    @Test("Names and constraints are compared at most 65,536 times; a path that needs more is refused")
    func comparisons() throws {
        #expect(PathNameConstraintsRule.maximumComparisons == 65_536)
        let excluded = (0..<300).map { "excluded;DNS:x\($0).example" }.joined(separator: ",")
        let root = try TestAuthority(
            extensions: TestAuthority.rootExtensions + "nameConstraints=critical,\(excluded)\n")
        func check(_ count: Int) throws -> CertificateRejection? {
            let names = (0..<count).map { "DNS:h\($0).test" }.joined(separator: ",")
            let leaf = try root.issue(extensions: "subjectAltName=\(names)\n")
            let path = CandidatePath(
                below: [try CertificateFields(leaf.certificate)], anchor: try TrustAnchor(root.certificate))
            do throws(CertificateRejection) {
                try PathNameConstraintsRule.check(path)
                return nil
            } catch {
                return error
            }
        }
        // The subject is one name more: 218 × 300 comparisons are allowed, 219 × 300 are not.
        #expect(try check(217) == nil)
        #expect(try check(218) == .nameConstraint)
    }
}
