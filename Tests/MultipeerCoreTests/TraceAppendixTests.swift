import Foundation
import MultipeerCore
import MultipeerCrypto
import MultipeerGnuTLS
import MultipeerSodium
import MultipeerTestSupport
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Worked trace, SPEC appendix B")
struct TraceAppendixTests {
    static let begin = "<!-- trace begin -->"
    static let end = "<!-- trace end -->"

    /// Made anew from the seeds of RFC 8032's first two test vectors.
    static func generate() throws -> String {
        try SessionTrace(
            crypto: Peers.crypto,
            initiator: party("Anna", "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"),
            responder: party("Ben", "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"),
            verifier: GnuTLSBindingVerifier(strictEd25519: Peers.crypto.signatures)
        ).markdown()
    }

    private static func party(_ name: String, _ seed: String) throws -> SessionTrace.Party {
        let bytes = try #require(Hexadecimal.decode(seed))
        let secret = try Peers.crypto.secrets.makeSecret(copying: bytes.span)
        let identity = try SodiumIdentity(seed: secret, provider: Peers.sodium)
        return SessionTrace.Party(name: name, identity: identity, seed: bytes)
    }

    @Test("The text between the markers matches the seeds; MULTIPEER_UPDATE_TRACE=1 writes it")
    func appendixIsCurrent() throws {
        let text = try String(contentsOf: Specification.main, encoding: .utf8)
        let generated = "\n" + (try Self.generate()) + "\n"
        let parts = text.components(separatedBy: Self.begin)
        try #require(parts.count == 2, "SPEC.md has one \(Self.begin)")
        let rest = parts[1].components(separatedBy: Self.end)
        try #require(rest.count == 2, "SPEC.md has one \(Self.end)")
        if ProcessInfo.processInfo.environment["MULTIPEER_UPDATE_TRACE"] == "1" {
            let updated = parts[0] + Self.begin + generated + Self.end + rest[1]
            try updated.write(to: Specification.main, atomically: true, encoding: .utf8)
        } else {
            #expect(rest[0] == generated, "run again with MULTIPEER_UPDATE_TRACE=1, and look at the difference")
        }
    }

    @Test("The trace is complete: every byte has a name, no line is too wide, and all frames of a session occur")
    func traceIsWhole() throws {
        let text = try Self.generate()
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.allSatisfy { $0.utf8.count <= 110 })
        #expect(!text.contains("?") && !text.contains("unknown"))
        // A payload whose fields have no names.
        #expect(!lines.contains { $0.hasSuffix("  payload") })
        for name in ["PROOF", "PEER_INFO", "INVITE", "ACCEPT", "CERTIFICATES", "READY", "MESSAGE", "CLOSE"] {
            #expect(text.contains("type: \(name)"))
        }
        // RFC 8032 §7.1 knows the public keys of these seeds.
        #expect(text.contains("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"))
        #expect(text.contains("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"))
    }
}
