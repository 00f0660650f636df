import Foundation
import MultipeerTestSupport
import Testing

@Suite("Certificates of openssl between processes, SPEC §10", .endsIfItHangs)
struct CertificateTests {
    @Test("A chain of a trusted authority is verified by both peers", arguments: OpenSSLAuthority.Kind.allCases)
    func trusted(kind: OpenSSLAuthority.Kind) async throws {
        let authority = try await OpenSSLAuthority("Root")
        let (ada, ben) = (try await authority.issue("ada", kind), try await authority.issue("ben", kind))
        let trust = ["--trust", authority.certificate]
        let meeting = try await Meeting.run(
            listen: trust + ada.arguments, connect: trust + ben.arguments + ["--message", "hello"])
        #expect(meeting.statuses == [0, 0])
        for side in [meeting.listener, meeting.connector] {
            let opened = try #require(side.events.first("opened"))
            #expect(opened["verified"] == .boolean(true))
            #expect(opened["trust"] == .string("trust-anchor"))
        }
    }

    /// What one peer shows to the other.
    enum Shown: String, CaseIterable, Sendable {
        case expired, foreign, nothing

        var reason: String {
            switch self {
            case .expired: "expired"
            case .foreign: "no trusted authority"
            case .nothing: "showed no certificate"
            }
        }
    }

    @Test("An expired, a foreign and a missing certificate are refused", arguments: Shown.allCases, [true, false])
    func refused(shown: Shown, byListener: Bool) async throws {
        let (authority, other) = (try await OpenSSLAuthority("Root"), try await OpenSSLAuthority("Root"))
        let bad =
            switch shown {
            case .expired: try await authority.issue("bad", isExpired: true).arguments
            case .foreign: try await other.issue("bad").arguments
            case .nothing: [String]()
            }
        let trust = ["--trust", authority.certificate]
        let meeting = try await Meeting.run(
            listen: byListener ? trust : ["--accept-unverified"] + bad,
            connect: (byListener ? ["--accept-unverified"] + bad : trust) + ["--message", "never"])
        #expect(meeting.statuses == [77, 77])
        let judge = byListener ? meeting.listener : meeting.connector
        let judged = byListener ? meeting.connector : meeting.listener
        #expect(judge.events.first("failed")?["reason"]?.string?.contains(shown.reason) == true)
        #expect(judged.events.first("failed")?["reason"]?.string?.contains("closed the link") == true)
        for side in [judge, judged] {
            #expect(side.events.first("failed")?["phase"] == .string("certificate exchange"))
            #expect(side.events.first("opened") == nil)
            #expect(side.events.first("message") == nil)
            #expect(side.errors.contains("remedy:"))
        }
    }

    @Test("With --match-name the certificate must carry the display name")
    func matchName() async throws {
        let authority = try await OpenSSLAuthority("Root")
        let leaf = try await authority.issue("ada")
        let listen = ["--trust", authority.certificate, "--match-name"]
        // openssl's leaf has the URI of peer.example.
        let right = try await Meeting.run(
            listen: listen, connect: ["--accept-unverified", "--name", "peer.example"] + leaf.arguments)
        #expect(right.statuses == [0, 0])
        let wrong = try await Meeting.run(
            listen: listen, connect: ["--accept-unverified", "--name", "ada"] + leaf.arguments)
        #expect(wrong.statuses == [77, 77])
    }

    @Test("The fingerprint equals that of openssl and sha256sum; a peer with that pin is accepted, another is not")
    func pins() async throws {
        let authority = try await OpenSSLAuthority("Root")
        let (leaf, other) = (try await authority.issue("ada"), try await authority.issue("ben"))
        let shown = try await Tool.run(["certificate", "show", leaf.certificate, "--json"])
        #expect(shown.events.first("certificate")?["fingerprint"] == .string(leaf.fingerprint))
        // The validity does not matter to a pin, the key does.
        let right = try await Meeting.run(
            listen: ["--pin", leaf.fingerprint], connect: ["--accept-unverified"] + leaf.arguments)
        #expect(right.statuses == [0, 0])
        #expect(right.listener.events.first("opened")?["trust"] == .string("pinned-key"))
        let wrong = try await Meeting.run(
            listen: ["--pin", other.fingerprint], connect: ["--accept-unverified"] + leaf.arguments)
        #expect(wrong.statuses == [77, 77])
        let either = try await Meeting.run(
            listen: ["--pin", other.fingerprint, "--pin", leaf.fingerprint],
            connect: ["--accept-unverified"] + leaf.arguments)
        #expect(either.statuses == [0, 0])
    }

    @Test("Files that are no certificate or key are reported before anybody connects")
    func files() async throws {
        let authority = try await OpenSSLAuthority("Root")
        let (leaf, other) = (try await authority.issue("ada"), try await authority.issue("ben"))
        let start = ["connect", "127.0.0.1:1", "--accept-unverified"]
        let text = try authority.scratch.write("text", Array("no certificate".utf8))
        let open = try authority.scratch.write("open.key", try Scratch.read(leaf.key))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: open)
        for (arguments, reason) in [
            (["--certificate", leaf.certificate, "--key", other.key], "does not belong to the certificate"),
            (["--certificate", text, "--key", leaf.key], "contains no certificate"),
            (["--certificate", authority.scratch / "missing", "--key", leaf.key], "no such file"),
            (["--certificate", leaf.certificate, "--key", open], "other users can read"),
        ] {
            let finished = try await Tool.run(start + arguments)
            #expect(finished.status == 66)
            #expect(finished.errors.contains(reason))
            #expect(finished.errors.contains("remedy:"))
        }
    }
}

@Suite("The small authority on the command line", .endsIfItHangs)
struct AuthorityCommandTests {
    @Test(
        "A certificate that it issues opens a verified session, and openssl agrees",
        arguments: ["ed25519", "ecdsa-p256", "ecdsa-p384", "rsa"])
    func issue(algorithm: String) async throws {
        let scratch = try Scratch()
        let folder = scratch / "ca"
        let made = try await Tool.run(["certificate", "authority", "Our root", "--out", folder, "--json"])
        #expect(made.status == 0)
        let issued = try await Tool.run(
            ["certificate", "issue", "Ada", "--authority", folder, "--out", scratch / "ada", "--json"]
                + ["--algorithm", algorithm])
        #expect(issued.status == 0)
        let event = try #require(issued.events.first("certificate"))
        let (certificate, key) = (
            try #require(event["certificate"]?.string), try #require(event["key"]?.string)
        )
        let mode = try FileManager.default.attributesOfItem(atPath: key)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let authority = try #require(made.events.first("authority")?["certificate"]?.string)
        let verified = try await Tool(
            ["openssl", "verify", "-x509_strict", "-CAfile", authority, certificate], program: "/usr/bin/env"
        ).finish()
        #expect(verified.status == 0)
        let meeting = try await Meeting.run(
            listen: ["--trust", authority, "--match-name"],
            connect: ["--accept-unverified", "--name", "Ada", "--certificate", certificate, "--key", key])
        #expect(meeting.statuses == [0, 0])
        #expect(meeting.listener.events.first("opened")?["verified"] == .boolean(true))
    }

    @Test("No file is replaced, and a failed issue leaves none behind")
    func replacesNothing() async throws {
        let scratch = try Scratch()
        let folder = scratch / "ca"
        let first = try await Tool.run(["certificate", "authority", "Root", "--out", folder])
        #expect(first.status == 0)
        let before = try Scratch.read(folder + "/authority.key")
        let second = try await Tool.run(["certificate", "authority", "Root", "--out", folder])
        #expect(second.status == 73)
        #expect(try Scratch.read(folder + "/authority.key") == before)
        // The certificate's name is taken, so the key, which is written first, must go again.
        try FileManager.default.createDirectory(atPath: scratch / "out", withIntermediateDirectories: true)
        _ = try scratch.write("out/Ada.pem", [])
        let third = try await Tool.run(
            ["certificate", "issue", "Ada", "--authority", folder, "--out", scratch / "out"])
        #expect(third.status == 73)
        #expect(try scratch.names(in: "out") == ["Ada.pem"])
        let fourth = try await Tool.run(
            ["certificate", "issue", "../../Ada", "--authority", folder, "--out", scratch / "out"])
        #expect(fourth.status == 73)
        let none = try await Tool.run(
            ["certificate", "issue", "Ada", "--authority", scratch / "nowhere", "--out", scratch / "out"])
        #expect(none.status == 66)
        let days = try await Tool.run(
            ["certificate", "issue", "Eve", "--authority", folder, "--out", scratch / "out", "--days", "0"])
        #expect(days.status == 64)
    }
}
