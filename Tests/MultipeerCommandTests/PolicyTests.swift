import MultipeerTestSupport
import Testing

@Suite("Encryption policy between processes, SPEC §11", .endsIfItHangs)
struct PolicyTests {
    /// The table of SPEC §11 as it is there: inviter, invitee, outcome.
    static let table: [(inviter: String, invitee: String, outcome: String?)] = [
        ("none", "none", "readable"), ("none", "optional", "readable"), ("none", "required", nil),
        ("optional", "none", "readable"), ("optional", "optional", "encrypted"), ("optional", "required", "encrypted"),
        ("required", "none", nil), ("required", "optional", "encrypted"), ("required", "required", "encrypted"),
    ]

    @Test("All nine pairs end with the right status for both peers", arguments: table)
    func pair(inviter: String, invitee: String, outcome: String?) async throws {
        let meeting = try await Meeting.runUnverified(
            listen: ["--encryption", invitee], connect: ["--encryption", inviter, "--message", "secret?"])
        guard let outcome else {
            #expect(meeting.statuses == [77, 77])
            for (side, preference) in [(meeting.listener, invitee), (meeting.connector, inviter)] {
                let failed = try #require(side.events.first("failed"))
                #expect(failed["phase"] == .string("invitation"))
                #expect(failed["exitStatus"] == .number(77))
                // Only the peer with `none` has something to change: a remedy never lowers security.
                let remedy = try #require(failed["remedy"]?.string)
                #expect(remedy.contains("--encryption optional"))
                #expect(remedy.contains("encryption here") == (preference == "none"))
                #expect(remedy.contains("the remote person") == (preference == "required"))
                #expect(side.events.first("opened") == nil)
            }
            return
        }
        #expect(meeting.statuses == [0, 0])
        for side in [meeting.listener, meeting.connector] {
            #expect(side.events.first("opened")?["encryption"] == .string(outcome))
        }
        #expect(meeting.listener.events.first("message")?["text"] == .string("secret?"))
        #expect(
            meeting.listener.events.first("opened")?["handshakeHash"]
                == meeting.connector.events.first("opened")?["handshakeHash"])
    }

    @Test("Required is the default", arguments: [true, false])
    func defaultIsRequired(isListener: Bool) async throws {
        let none = ["--encryption", "none"]
        let meeting = try await Meeting.runUnverified(
            listen: isListener ? [] : none, connect: isListener ? none : [])
        #expect(meeting.statuses == [77, 77])
    }

    @Test(
        "The suite is one that both support",
        arguments: [
            ("chachapoly", "both", "Noise_NN_25519_ChaChaPoly_SHA256"),
            ("aesgcm", "aesgcm", "Noise_NN_25519_AESGCM_SHA256"), ("both", "aesgcm", "Noise_NN_25519_AESGCM_SHA256"),
        ])
    func suites(listener: String, connector: String, suite: String) async throws {
        let meeting = try await Meeting.runUnverified(
            listen: ["--suite", listener], connect: ["--suite", connector, "--message", "x"])
        #expect(meeting.statuses == [0, 0])
        #expect(meeting.connector.events.first("opened")?["suite"]?.string == suite)
    }

    @Test("Without a common suite there is no link")
    func noSuite() async throws {
        let meeting = try await Meeting.runUnidentified(
            listen: ["--suite", "chachapoly"], connect: ["--accept-unverified", "--suite", "aesgcm"])
        #expect(meeting.connector.status == 76)
        for side in [meeting.listener, meeting.connector] {
            #expect(side.events.first("failed") != nil && side.events.first("opened") == nil)
        }
    }
}
