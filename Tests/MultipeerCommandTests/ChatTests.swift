import Foundation
import Glibc
import MultipeerCore
import MultipeerCrypto
import MultipeerSodium
import MultipeerStorage
import MultipeerTestSupport
import MultipeerWire
import Testing

/// `multipeer chat` as processes.
@Suite("Chats of several processes", .endsIfItHangs)
struct ChatTests {
    /// One process of a chat, with an identity of its own.
    private struct Talker {
        let person: Person
        let name: String
        let inbox: Scratch
        var tool: Tool
        var address = ""

        /// Begins a chat, or joins one. The keys of all are pinned.
        init(
            _ name: String, _ person: Person, pins: [String], joining member: String? = nil,
            keepsAs kept: String? = nil,
            options: [String] = []
        ) async throws {
            self.name = name
            self.person = person
            inbox = try Scratch()
            var arguments = ["chat"] + (member.map { [$0] } ?? [])
            arguments += ["--listen", "127.0.0.1:0", "--accept", "all", "--json", "--save", inbox.path] + person.store
            arguments += pins.flatMap { ["--pin", $0] } + (kept.map { ["--keep", $0] } ?? []) + options
            tool = try Tool(arguments, hasInput: true)
            address = try await tool.address()
        }

        /// The peers that are connected, by what the process has reported.
        var connected: Set<String> {
            var names: Set<String> = []
            for event in tool.events {
                guard let name = event["name"]?.string else { continue }
                if event["event"]?.string == "memberConnected" { names.insert(name) }
                if event["event"]?.string == "memberDisconnected" { names.remove(name) }
            }
            return names
        }

        func texts(from name: String) -> [String] {
            tool.events.filter { $0["event"]?.string == "message" && $0["name"]?.string == name }
                .compactMap { $0["text"]?.string }
        }

        /// The instance under which this one has kept the entry of a member; nil if it has none.
        func instance(of member: Person) throws -> UInt64? {
            let path = PeerStore(directory: person.scratch.path).sessionsDirectory + "/lunch"
            let stored = try SessionFile.load(at: path, hashing: TestProvider.sodium.hashing)
            return stored?.memory.entries.first { Hexadecimal.encode($0.content.member) == member.peerID }?.content
                .instance
        }

        func events(_ kind: String) -> [JSONValue] { tool.events.filter { $0["event"]?.string == kind } }
    }

    @Test("--trace shows every record of each link on standard error, from HELLO to CLOSE")
    func trace() async throws {
        let people = [try await Person("Anna"), try await Person("Ben")]
        let pins = people.map(\.peerID)
        let anna = try await Talker("Anna", people[0], pins: pins, options: ["--trace"])
        let ben = try await Talker("Ben", people[1], pins: pins, joining: anna.address, options: ["--trace"])
        try await Self.waits(for: [anna, ben])
        anna.tool.type("traced")
        try await eventually { ben.texts(from: "Anna") == ["traced"] }
        for talker in [ben, anna] {
            talker.tool.endInput()
            let finished = await talker.tool.finish()
            #expect(finished.status == 0, "\(talker.name): \(finished.errors)")
            for text in [
                "[1] → sent HELLO", "[1] ← received HELLO", "→ sent ENCRYPTED #0", "← received ENCRYPTED #0", "PROOF",
                "PEER_INFO", "INVITE", "READY", "ROSTER", "MESSAGE", "\"traced\"", "CLOSE",
            ] {
                #expect(finished.errors.contains(text), "\(text) is not in the trace of \(talker.name)")
            }
            #expect(!finished.errors.contains("does not decode"))
        }
    }

    @Test(
        "Eight processes in one session: messages to all, and a file between two while a third is killed and comes back"
    )
    func eight() async throws {
        let names = (1...8).map { "Peer\($0)" }
        var people: [Person] = []
        for name in names { people.append(try await Person(name)) }
        let pins = people.map(\.peerID)
        var talkers = [try await Talker(names[0], people[0], pins: pins)]
        for index in 1..<8 {
            // Each joins by another member.
            let member = talkers[index / 2].address
            talkers.append(try await Talker(names[index], people[index], pins: pins, joining: member))
        }
        try await Self.waits(for: talkers)
        for talker in talkers { talker.tool.type("hello from \(talker.name)") }
        for talker in talkers {
            for other in names where other != talker.name {
                try await eventually { talker.texts(from: other) == ["hello from \(other)"] }
            }
        }

        let scratch = try Scratch()
        let path = try scratch.write("big", [UInt8](repeating: 0x5A, count: 60_000_000))
        talkers[1].tool.type("/send Peer3 \(path)")
        try await eventually { !talkers[2].events("fileOffered").isEmpty }
        talkers[7].tool.send(SIGKILL)
        _ = await talkers[7].tool.finish()
        for talker in talkers.dropLast() { try await eventually { !talker.connected.contains("Peer8") } }
        talkers[7] = try await Talker(names[7], people[7], pins: pins, joining: talkers[4].address)
        try await Self.waits(for: talkers)
        talkers[7].tool.type("back again")
        for talker in talkers.dropLast() { try await eventually { talker.texts(from: "Peer8").last == "back again" } }
        try await eventually { !talkers[1].events("fileSent").isEmpty }
        #expect(try talkers[2].inbox.read("big") == scratch.read("big"))

        for talker in talkers { talker.tool.endInput() }
        for talker in talkers {
            let finished = await talker.tool.finish()
            #expect(finished.status == 0, "\(talker.name): \(finished.errors)")
        }
        let departures = talkers[0].events("memberDisconnected").filter { $0["name"]?.string == "Peer8" }
        #expect(departures.first?["departure"]?.string == "lost")
    }

    /// All are connected with all.
    private static func waits(for talkers: [Talker]) async throws {
        let all = Set(talkers.map(\.name))
        for talker in talkers { try await eventually { talker.connected == all.subtracting([talker.name]) } }
    }

    @Test(
        "A member that was killed or stopped returns to its kept chat as the same member, and finds the others itself")
    func kept() async throws {
        let names = ["Anna", "Ben", "Cleo"]
        var people: [Person] = []
        for name in names { people.append(try await Person(name)) }
        let pins = people.map(\.peerID)
        var talkers = [try await Talker(names[0], people[0], pins: pins, keepsAs: "lunch")]
        for index in 1...2 {
            talkers.append(
                try await Talker(
                    names[index], people[index], pins: pins, joining: talkers[0].address, keepsAs: "lunch"))
        }
        try await Self.waits(for: talkers)
        for (signal, status, departure) in [(SIGKILL, 128 + SIGKILL, "lost"), (SIGTERM, 143, "closed")] {
            for other in people {
                try await eventually {
                    try talkers[2].instance(of: other) != nil && talkers[0].instance(of: other) != nil
                }
            }
            let before = try #require(try talkers[0].instance(of: people[2]))
            talkers[2].tool.send(signal)
            #expect(await talkers[2].tool.finish().status == status)
            for talker in talkers.dropLast() { try await eventually { !talker.connected.contains("Cleo") } }
            // No flag says where the others are.
            talkers[2] = try await Talker(names[2], people[2], pins: pins, keepsAs: "lunch")
            try await Self.waits(for: talkers)
            try await eventually { try talkers[0].instance(of: people[2]) ?? 0 > before }
            #expect(talkers[0].events("memberDisconnected").last?["departure"]?.string == departure)
        }
        talkers[2].tool.endInput()
        #expect(await talkers[2].tool.finish().status == 0)
        #expect(try talkers[2].instance(of: people[2]) == nil, "a member that has left keeps nothing")
        try await eventually { talkers[0].events("memberDisconnected").last?["departure"]?.string == "left" }
        for talker in talkers.dropLast() {
            talker.tool.endInput()
            #expect(await talker.tool.finish().status == 0)
        }
    }

    @Test("A chat that cannot be kept does not start")
    func notKept() async throws {
        let nobody = try await Tool.run(
            [
                "chat", "--listen", "127.0.0.1:0", "--accept-unverified", "--keep", "lunch", "--store",
                try Scratch.forProcess(),
            ])
        #expect(nobody.status == 64 && nobody.errors.contains("nobody would recognise it"))
        let anna = try await Person("Anna")
        try anna.scratch.write("sessions/lunch", "multipeer-session 1\n")
        let damaged = try await Tool.run(
            ["chat", "--listen", "127.0.0.1:0", "--accept-unverified", "--keep", "lunch"] + anna.store)
        #expect(damaged.status == 66 && damaged.errors.contains("line 2 is damaged"), "\(damaged.errors)")
    }

    @Test("A person who is refused is notified, with status 77")
    func notAdmitted() async throws {
        let chat = try Tool(
            ["chat", "--listen", "127.0.0.1:0", "--json", "--accept-unverified", "--accept", "none"], hasInput: true)
        let address = try await chat.address()
        let outsider = try Tool(
            ["chat", "--invite", address, "--listen", "127.0.0.1:0", "--json", "--accept-unverified"], hasInput: true)
        let finished = await outsider.finish()
        #expect(finished.status == 77, "\(finished.errors)")
        chat.endInput()
        #expect(await chat.finish().status == 0)
    }

    @Test("Lines are messages, and lines that begin with a slash are commands")
    func lines() async throws {
        let (anna, ben) = (try await Person("Anna"), try await Person("Ben"))
        let pins = [anna.peerID, ben.peerID]
        let first = try await Talker("Anna", anna, pins: pins)
        let second = try await Talker("Ben", ben, pins: pins, joining: first.address)
        try await Self.waits(for: [first, second])
        first.tool.type("/who")
        let member = try await first.tool.event("member")
        #expect(member["peer"]?.string == ben.peerID && member["name"]?.string == "Ben")
        first.tool.type("/nonsense")
        first.tool.type("//who")
        try await eventually { second.texts(from: "Anna") == ["/who"] }
        first.tool.type("/send Nobody /dev/null")
        first.tool.endInput()
        let finished = await first.tool.finish()
        #expect(finished.status == 0)
        #expect(finished.errors.contains("there is no command /nonsense"))
        #expect(finished.errors.contains("nobody here is called Nobody"))
        try await eventually { second.connected.isEmpty }
        #expect(second.events("memberDisconnected").first?["departure"]?.string == "left")
        second.tool.send(SIGTERM)
        #expect(await second.tool.finish().status == 143)
    }
}
