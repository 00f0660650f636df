import Foundation
import MultipeerTestSupport
import Testing

@Suite("Peers that the tool trusts, SPEC §10.5", .endsIfItHangs)
struct TrustTests {
    @Test("Without a trust option everybody is refused, with a remedy", arguments: [true, false])
    func nobody(isListener: Bool) async throws {
        let ada = try await Person("Ada")
        let meeting = try await Meeting.run(
            listen: isListener ? [] : ["--accept-unverified"] + ada.store,
            connect: isListener ? ["--accept-unverified"] + ada.store : [])
        #expect(meeting.statuses == [77, 77])
        let judge = isListener ? meeting.listener : meeting.connector
        let remedy = try #require(judge.events.first("failed")?["remedy"]?.string)
        #expect(remedy.contains("--trust-on-first-use"))
        // A remedy never lowers security.
        #expect(!remedy.contains("--accept-unverified") && !judge.errors.contains("--accept-unverified"))
        #expect(remedy.contains(ada.peerID))
        #expect(judge.errors.contains("no peer is trusted"))
    }

    @Test("Accepting unverified peers says so")
    func unverified() async throws {
        let meeting = try await Meeting.runUnverified()
        #expect(meeting.statuses == [0, 0])
        #expect(meeting.connector.events.first("opened")?["verified"] == .boolean(false))
        #expect(meeting.connector.events.first("opened")?["trust"] == .string("unverified"))
    }

    @Test("First use, second use, changed key")
    func firstUse() async throws {
        let (ben, eve) = (try await Person("Ben"), try await Person("Ben"))
        let store = try Scratch()
        let listen = ["--trust-on-first-use", "--store", store / "new"]
        let first = try await Meeting.run(listen: listen, connect: ["--accept-unverified"] + ben.store)
        #expect(first.statuses == [0, 0])
        #expect(first.listener.events.first("opened")?["trust"] == .string("first-use"))
        #expect(first.listener.events.first("opened")?["verified"] == .boolean(false))
        let second = try await Meeting.run(listen: listen, connect: ["--accept-unverified"] + ben.store)
        #expect(second.statuses == [0, 0])
        #expect(second.listener.events.first("opened")?["trust"] == .string("remembered"))
        #expect(second.listener.events.first("opened")?["verified"] == .boolean(false))
        #expect(second.listener.events.first("opened")?["remembered"] == .boolean(true))
        // A name that came unasked is nobody's alone: a peer that comes first under it locks nobody out.
        let other = try await Meeting.run(listen: listen, connect: ["--accept-unverified"] + eve.store)
        #expect(other.statuses == [0, 0])
        #expect(other.listener.events.first("opened")?["trust"] == .string("first-use"))
        let known = try await Tool.run(["peers", "list", "--json", "--store", store / "new"])
        #expect(known.events.all("knownPeer").map { $0["peer"] } == [.string(ben.peerID), .string(eve.peerID)])
    }

    @Test("A peer that was dialled owns its name: another key under it is refused, and does not replace it")
    func changedKey() async throws {
        let (ben, eve) = (try await Person("Ben"), try await Person("Ben"))
        let store = try Scratch()
        let connect = ["--trust-on-first-use", "--store", store / "new"]
        for _ in 1...2 {
            let met = try await Meeting.run(listen: ["--accept-unverified"] + ben.store, connect: connect)
            #expect(met.statuses == [0, 0])
        }
        let changed = try await Meeting.run(listen: ["--accept-unverified"] + eve.store, connect: connect)
        #expect(changed.statuses == [77, 77])
        let failed = try #require(changed.connector.events.first("failed"))
        #expect(failed["reason"]?.string?.contains("another key is remembered") == true)
        #expect(failed["remedy"]?.string?.contains("multipeer peers forget") == true)
        let came = try await Meeting.run(
            listen: ["--trust-on-first-use", "--store", store / "new"], connect: ["--accept-unverified"] + eve.store)
        #expect(came.statuses == [77, 77])
        #expect(came.listener.events.first("failed")?["reason"]?.string?.contains("another key is remembered") == true)
        let again = try await Meeting.run(listen: ["--accept-unverified"] + ben.store, connect: connect)
        #expect(again.statuses == [0, 0])
    }

    @Test("Peers that are remembered are listed, renamed and forgotten; a lookalike is refused")
    func knownPeers() async throws {
        let (ben, eve) = (try await Person("Ben"), try await Person("B\u{435}n"))
        let store = ["--store", try Scratch() / "new"]
        let listen = ["--trust-on-first-use"] + store
        let empty = try await Tool.run(["peers", "list", "--json"] + store)
        #expect(empty.status == 0 && empty.events.isEmpty)
        let first = try await Meeting.run(listen: ["--accept-unverified"] + ben.store, connect: listen)
        #expect(first.statuses == [0, 0])
        let refused = try await Meeting.run(listen: listen, connect: ["--accept-unverified"] + eve.store)
        #expect(refused.statuses == [77, 77])
        let failed = try #require(refused.listener.events.first("failed"))
        #expect(failed["reason"]?.string?.contains("looks like") == true)
        #expect(failed["remedy"]?.string?.contains("--pin \(eve.peerID)") == true)
        let listed = try await Tool.run(["peers", "list", "--json"] + store)
        let peer = try #require(listed.events.first("knownPeer"))
        #expect(peer["peer"] == .string(ben.peerID) && peer["name"] == .string("Ben") && peer["label"] == .null)
        let renamed = try await Tool.run(["peers", "rename", "Ben", "Benjamin", "--json"] + store)
        #expect(renamed.status == 0 && renamed.events.first("renamed")?["label"] == .string("Benjamin"))
        let text = try await Tool.run(["peers", "list"] + store)
        #expect(text.output.contains("Benjamin (calls itself Ben)") && text.output.contains(ben.peerID))
        let unknown = try await Tool.run(["peers", "forget", "Nobody", "--json"] + store)
        #expect(unknown.status == 66 && unknown.events.first("failed")?["remedy"] != nil)
        let forgotten = try await Tool.run(["peers", "forget", ben.peerID, "--json"] + store)
        #expect(forgotten.status == 0 && forgotten.events.first("forgotten")?["peer"] == .string(ben.peerID))
        let free = try await Meeting.run(listen: listen, connect: ["--accept-unverified"] + eve.store)
        #expect(free.statuses == [0, 0])
    }

    @Test("A pin matches the peer ID")
    func identityPin() async throws {
        let (ben, eve) = (try await Person("Ben"), try await Person("Ben"))
        let right = try await Meeting.run(
            listen: ["--pin", ben.peerID], connect: ["--accept-unverified"] + ben.store)
        #expect(right.statuses == [0, 0])
        let wrong = try await Meeting.run(
            listen: ["--pin", ben.peerID], connect: ["--accept-unverified"] + eve.store)
        #expect(wrong.statuses == [77, 77])
        #expect(wrong.listener.events.first("failed")?["remedy"]?.string?.contains(eve.peerID) == true)
    }

    @Test("The expected peer is trusted; another one fails authentication for both peers")
    func expected() async throws {
        let (ada, eve) = (try await Person("Ada"), try await Person("Ada"))
        let right = try await Meeting.run(
            listen: ["--accept-unverified"] + ada.store, connect: ["--expect", ada.peerID, "--message", "x"])
        #expect(right.statuses == [0, 0])
        #expect(right.connector.events.first("opened")?["trust"] == .string("pinned-key"))
        let wrong = try await Meeting.runUnidentified(listen: eve.store, connect: ["--expect", ada.peerID])
        #expect(wrong.connector.status == 76)
        #expect(wrong.connector.events.first("failed")?["reason"]?.string?.contains(eve.peerID) == true)
        #expect(wrong.connector.events.first("identified") == nil)
    }

    @Test("A peer with the same identity is distinguished from an attack")
    func ownIdentity() async throws {
        let ada = try await Person("Ada")
        let meeting = try await Meeting.runUnidentified(
            listen: ada.store, connect: ["--accept-unverified"] + ada.store)
        #expect(meeting.connector.status == 76)
        for side in [meeting.listener, meeting.connector] {
            #expect(side.events.first("failed")?["remedy"]?.string?.contains("--store") == true)
        }
    }

    @Test("Peers are declined by option, and if nobody can be asked", arguments: ["none", "ask"])
    func declined(accept: String) async throws {
        let meeting = try await Meeting.runUnverified(
            listen: ["--accept", accept], connect: ["--context", "let me in", "--message", "x"])
        #expect(meeting.statuses == [77, 77])
        #expect(meeting.listener.events.first("invited")?["context"]?["text"] == .string("let me in"))
        #expect(meeting.connector.events.first("failed")?["reason"]?.string?.contains("declined") == true)
        #expect(meeting.listener.events.first("opened") == nil)
    }
}

@Suite("Identities on the command line", .endsIfItHangs)
struct IdentityTests {
    @Test("An identity is created once, shown, private and never replaced")
    func create() async throws {
        let scratch = try Scratch()
        let store = ["--store", scratch / "deep/store"]
        let missing = try await Tool.run(["identity", "show"] + store)
        #expect(missing.status == 66)
        let made = try await Tool.run(["identity", "create", "Ada's laptop", "--json"] + store)
        #expect(made.status == 0)
        let identity = try #require(made.events.first("identity"))
        #expect(identity["name"] == .string("Ada's laptop"))
        #expect(identity["peer"]?.string?.count == 64)
        let path = try #require(identity["path"]?.string)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let again = try await Tool.run(["identity", "create", "Eve"] + store)
        #expect(again.status == 73)
        let shown = try await Tool.run(["identity", "show", "--json"] + store)
        #expect(shown.events == made.events)
        let people = try await Tool.run(["identity", "show"] + store)
        #expect(people.output.contains(identity["peer"]?.string ?? "?"))
    }

    @Test("The default store follows the XDG directories, and a missing home is a usage error")
    func defaultStore() async throws {
        let scratch = try Scratch()
        let data = try await Tool.run(
            ["identity", "create", "Ada", "--json"], environment: ["XDG_DATA_HOME": scratch / "data"])
        #expect(data.events.first("identity")?["path"] == .string(scratch / "data/multipeer/identity"))
        let home = try await Tool.run(
            ["identity", "create", "Ada", "--json"], environment: ["XDG_DATA_HOME": "", "HOME": scratch.path])
        #expect(home.events.first("identity")?["path"] == .string(scratch / ".local/share/multipeer/identity"))
        let none = try await Tool.run(
            ["identity", "create", "Ada"], environment: ["XDG_DATA_HOME": "relative", "HOME": ""])
        #expect(none.status == 64)
    }

    @Test("A store that others can read is refused, not used")
    func openStore() async throws {
        let ada = try await Person("Ada")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: ada.scratch / "identity")
        let finished = try await Tool.run(["connect", "127.0.0.1:1", "--accept-unverified"] + ada.store)
        #expect(finished.status == 66)
        #expect(finished.errors.contains("chmod 600"))
    }
}
