import Foundation
import Multipeer
import MultipeerCore
import MultipeerCrypto
import MultipeerSodium
import MultipeerStorage
import MultipeerTestSupport
import MultipeerWire
import Testing

@Suite("Sessions that a peer keeps, SPEC §14.7", .endsIfItHangs)
struct KeptSessionTests {
    /// A stored identity, and the session that it keeps as *team*.
    private struct Keeper {
        let name: String
        let scratch: Scratch
        var store: PeerStore { PeerStore(directory: scratch.path) }
        var path: String { store.sessionsDirectory + "/team" }

        init(_ name: String) throws {
            self.name = name
            scratch = try Scratch()
        }

        func start() async throws -> Friend {
            try await Friend(name, peer: try await Peer.load(named: name, from: store), restoringAs: "team")
        }

        func stored() throws -> StoredSession? {
            try SessionFile.load(at: path, hashing: TestProvider.sodium.hashing)
        }

        /// The instance of a member's entry that is kept; nil if there is none.
        func instance(of member: PeerID) throws -> UInt64? {
            try stored()?.memory.entries.first { $0.content.member == member.key.rawBytes }?.content.instance
        }

        func keeps(_ count: Int) async throws {
            try await eventually { try stored()?.memory.entries.count == count }
        }
    }

    @Test("A member that stops without leaving returns by itself, as the same member of a later run (R14.7-1)")
    func comesBack() async throws {
        let (annas, cleos) = (try Keeper("Anna"), try Keeper("Cleo"))
        let (anna, ben) = (try await annas.start(), try await Friend("Ben"))
        var cleo = try await cleos.start()
        let key = cleo.id.key
        #expect(!anna.session.isResumed && !cleo.session.isResumed)
        try await anna.session.invite(ben.address)
        try await anna.session.invite(cleo.address)
        try await cleo.waits(for: ["Anna", "Ben"])
        try await cleos.keeps(3)
        try await annas.keeps(3)
        for run in 1...3 {
            let before = try #require(try annas.instance(of: cleo.id))
            await cleo.vanish()
            try await anna.waits(for: ["Ben"])
            try await ben.waits(for: ["Anna"])
            // At another port: nobody finds it there, so it has to find the others.
            cleo = try await cleos.start()
            #expect(cleo.session.isResumed && cleo.id.key == key)
            try await cleo.waits(for: ["Anna", "Ben"])
            try await anna.waits(for: ["Ben", "Cleo"])
            try await ben.waits(for: ["Anna", "Cleo"])
            try await eventually { anna.seen.comings.filter { $0 == "+Cleo" }.count == run + 1 }
            try await eventually { try annas.instance(of: cleo.id) ?? 0 > before }
            try await cleo.session.send("back \(run)")
            try await eventually { ben.seen.texts(from: "Cleo").last == "back \(run)" }
        }
    }

    @Test("The founder returns too, and continues to invite into the same session")
    func founder() async throws {
        let annas = try Keeper("Anna")
        var anna = try await annas.start()
        let (ben, cleo) = (try await Friend("Ben"), try await Friend("Cleo"))
        try await anna.session.invite(ben.address)
        try await annas.keeps(2)
        await anna.vanish()
        try await ben.waits(for: [])
        anna = try await annas.start()
        try await anna.waits(for: ["Ben"])
        try await anna.session.invite(cleo.address)
        try await cleo.waits(for: ["Anna", "Ben"])
    }

    @Test("A released session is the same one when it is opened again in this run")
    func reopened() async throws {
        let annas = try Keeper("Anna")
        let ben = try await Friend("Ben")
        let peer = try await Peer.load(named: "Anna", from: annas.store)
        var first: Friend? = try await Friend("Anna", peer: peer, restoringAs: "team")
        try await first?.session.invite(ben.address)
        try await annas.keeps(2)
        await #expect(throws: MultipeerError.session(.inUse)) { try await Session(of: peer, restoringAs: "team") }
        first = nil
        try await ben.waits(for: [])
        var second: Friend?
        try await eventually {
            second = try? await Friend("Anna", peer: peer, restoringAs: "team")
            return second != nil
        }
        #expect(second?.session.isResumed == true)
        try await ben.waits(for: ["Anna"])
    }

    @Test("A session that was left is not restored")
    func leaving() async throws {
        let annas = try Keeper("Anna")
        let (anna, ben) = (try await annas.start(), try await Friend("Ben"))
        try await anna.session.invite(ben.address)
        try await annas.keeps(2)
        #expect(try annas.scratch.mode("sessions/team") == 0o600 && annas.scratch.mode("sessions") == 0o700)
        await anna.session.leave()
        #expect(try annas.scratch.names(in: "sessions").isEmpty)
        let again = try await Session(of: anna.peer, restoringAs: "team", trust: .everyone)
        #expect(!again.isResumed)
    }

    @Test("A damaged, foreign or forged session is refused, and its file stays")
    func refused() async throws {
        let (annas, bens) = (try Keeper("Anna"), try Keeper("Ben"))
        let (anna, ben) = (try await annas.start(), try await bens.start())
        try await anna.session.invite(ben.address)
        try await annas.keeps(2)
        try await bens.keeps(2)
        for friend in [anna, ben] { await friend.peer.shutDown() }
        let own = try annas.scratch.read("sessions/team")
        let stored = try #require(try bens.stored())
        let peer = try await Peer.load(from: annas.store)

        var damaged = own
        damaged[own.count / 2] ^= 1
        try annas.scratch.write("sessions/team", damaged)
        await #expect {
            try await Session(of: peer, restoringAs: "team")
        } throws: { error in
            guard case .storage(let error) = (error as? MultipeerError)?.cause, case .malformed = error.reason else {
                return false
            }
            return error.path == annas.path
        }
        #expect(try annas.scratch.read("sessions/team") == damaged)

        try annas.scratch.write("sessions/team", try bens.scratch.read("sessions/team"))
        await #expect(throws: MultipeerError.session(.foreign(ben.id.key))) {
            try await Session(of: peer, restoringAs: "team")
        }

        // Ben's place, under Anna's name.
        var memory = stored.memory
        memory.charter = Charter(founder: ben.id.key.rawBytes, nonce: memory.charter.nonce)
        let forged = StoredSession(owner: anna.id.key, memory: memory)
        try SessionFile.save(forged, at: annas.path, hashing: TestProvider.sodium.hashing)
        await #expect(throws: MultipeerError.session(.notMember)) { try await Session(of: peer, restoringAs: "team") }
        #expect(try annas.stored() == forged)

        try annas.scratch.write("sessions/team", own)
        #expect(try await Session(of: peer, restoringAs: "team").isResumed)
    }

    @Test("Only a stored identity keeps sessions, under plain names")
    func names() async throws {
        let temporary = try await Peer.temporary(named: "Anna")
        await #expect(throws: MultipeerError.session(.noStore)) {
            try await Session(of: temporary, restoringAs: "team")
        }
        let stored = try await Peer.load(named: "Anna", from: try Keeper("Anna").store)
        for name in ["", ".", "..", ".hidden", "a/b", "a\nb"] {
            await #expect {
                try await Session(of: stored, restoringAs: name)
            } throws: { error in
                guard case .storage(let error) = (error as? MultipeerError)?.cause else { return false }
                return error.reason == .unsafeName
            }
        }
    }

    @Test("A session that cannot be written continues, and reports that once")
    func notKept() async throws {
        let annas = try Keeper("Anna")
        let (anna, ben, cleo) = (try await annas.start(), try await Friend("Ben"), try await Friend("Cleo"))
        let dora = try await Friend("Dora")
        // A folder is where the file should be.
        try annas.scratch.write("sessions/team/file", "")
        try await anna.session.invite(ben.address)
        try await eventually { Self.warnings(anna) == 1 }
        try await anna.session.invite(cleo.address)
        try await cleo.waits(for: ["Anna", "Ben"])
        try FileManager.default.removeItem(atPath: annas.path)
        try await anna.session.invite(dora.address)
        try await dora.waits(for: ["Anna", "Ben", "Cleo"])
        try await annas.keeps(4)
        #expect(Self.warnings(anna) == 1)
    }

    private static func warnings(_ friend: Friend) -> Int {
        friend.seen.events.count { if case .warning(.notKept) = $0 { true } else { false } }
    }
}
