import Foundation
import MultipeerCertificates
import MultipeerGnuTLS
import Testing

/// What our validator says to a case: nil for success.
private func answer(_ test: Limbo.Case) -> String? {
    do {
        let anchors = try test.trustedCerts.map(der)
        let chain = try UnverifiedCertificateChain(
            [try der(test.peerCertificate)] + test.untrustedIntermediates.map(der))
        let time = test.time
        let validator = try GnuTLSPathValidator(anchors: anchors) { time }
        _ = try validator.validate(chain, requirements: test.requirements)
        return nil
    } catch {
        return "\(error)"
    }
}

/// The case's own PEM. Blocks that openssl would refuse are left as they are for the validator to judge.
private func der(_ pem: String) throws -> Certificate {
    let text = Array(pem.utf8)
    let blocks = try PEM.decode(text.span)
    return Certificate(der: try #require(blocks.first).bytes)
}

private struct Deviations: Decodable {
    struct Entry: Decodable {
        let id: String
        let expected: String
        let ours: String
        let reason: String
    }

    struct Others: Decodable {
        let accepted: [String]
    }

    let note: String
    let deviations: [Entry]
    let others: Others

    static func committed() throws -> Deviations {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("limbo-deviations.json")
        return try JSONDecoder().decode(Deviations.self, from: Data(contentsOf: file))
    }
}

@Suite("x509-limbo, SPEC §10.7")
struct LimboTests {
    @Test(
        "All 131 peer cases are answered as expected, but for the committed deviations", .enabled(if: Limbo.isPresent))
    func peerCases() throws {
        let cases = try Limbo.peerCases()
        #expect(cases.count == 131)
        let deviations = try Deviations.committed().deviations
        var listed = Dictionary(uniqueKeysWithValues: deviations.map { ($0.id, $0) })
        var agreed = 0
        for test in cases {
            let rejection = answer(test)
            let ours = rejection == nil ? "SUCCESS" : "FAILURE"
            let entry = listed.removeValue(forKey: test.id)
            if ours == test.expectedResult {
                agreed += 1
                #expect(entry == nil, "\(test.id) no longer deviates; take it off the list")
            } else {
                let text = "\(test.id) expects \(test.expectedResult), we say \(rejection ?? "SUCCESS")"
                #expect(entry?.ours == ours && entry?.expected == test.expectedResult, "\(text)")
                #expect(entry?.reason.isEmpty == false)
            }
        }
        #expect(listed.isEmpty, "no such cases: \(listed.keys)")
        #expect(agreed == cases.count - deviations.count)
    }

    @Test(
        "The other cases are answered as in the committed list, which the Python reference's test_limbo reads",
        .enabled(if: Limbo.isPresent))
    func otherCases() throws {
        let cases = try Limbo.otherCases()
        #expect(cases.count == 77)
        let accepted = cases.filter { answer($0) == nil }.map(\.id)
        let committed = try Deviations.committed().others.accepted
        #expect(Set(accepted).subtracting(committed).isEmpty, "accepted, and not on the list")
        #expect(Set(committed).subtracting(accepted).isEmpty, "on the list, and refused")
    }

    @Test("The cross-signed authorities of CVE-2024-0567 are judged within the limit", .enabled(if: Limbo.isPresent))
    func crossSigned() throws {
        let cases = try Limbo.peerCases()
        let test = try #require(cases.first { $0.id == "cve::cve-2024-0567" })
        let leaf = try der(test.peerCertificate)
        let others = try test.untrustedIntermediates.map(der)
        let time = test.time
        let validator = try GnuTLSPathValidator(anchors: test.trustedCerts.map(der)) { time }
        var accepted = 0
        // Seven of nine others, every way of choosing them: the circle of A, B and C is in most.
        for first in others.indices {
            for second in others.indices where second > first {
                let chosen = others.indices.filter { $0 != first && $0 != second }.map { others[$0] }
                let chain = try UnverifiedCertificateChain([leaf] + chosen)
                if rejection(of: chain, by: validator, test.requirements) == nil { accepted += 1 }
            }
        }
        // Only A1 is needed, because A is an anchor: refused are the eight choices without it.
        #expect(accepted == 28)
    }
}
