import Foundation
import MultipeerConnectivity
import MultipeerTestSupport
import Testing

@Suite("Rule 1: peer IDs")
struct PeerIDRuleTests {
    @Test("An empty display name is the computer's")
    func noName() {
        let name = MCPeerID(displayName: "").displayName
        #expect((1...63).contains(name.utf8.count))
        #expect(MCSession(peer: MCPeerID(displayName: "")).myPeerID.displayName == name)
    }

    @Test("A display name has at most 63 bytes of UTF-8; a longer one traps, as with Apple's framework")
    func names() async {
        for name in ["A", String(repeating: "x", count: 63), String(repeating: "ü", count: 31) + "x"] {
            #expect(MCPeerID(displayName: name).displayName == name)
        }
        await #expect(processExitsWith: .failure) { _ = MCPeerID(displayName: String(repeating: "x", count: 64)) }
        await #expect(processExitsWith: .failure) { _ = MCPeerID(displayName: String(repeating: "ü", count: 32)) }
    }

    @Test("All else in a name is the person's choice: controls, marks, joined emoji")
    func unusualNames() {
        for name in ["a\nb", " ", "👩‍👩‍👧‍👦", "e\u{301}", "\u{202E}abc", "\u{0}"] {
            let id = MCPeerID(displayName: name)
            #expect(id.displayName == name)
            #expect(MCSession(peer: id).myPeerID.displayName == name)
        }
    }

    @Test("Each ID is a new identity, even for an equal name; a copy is the same")
    func identity() throws {
        let (one, two) = (MCPeerID(displayName: "Anna"), MCPeerID(displayName: "Anna"))
        #expect(one != two && !one.isEqual(two) && !one.isEqual(nil) && !one.isEqual("Anna"))
        let copy = try #require(one.copy() as? MCPeerID)
        #expect(copy == one && copy.hash == one.hash)
        #expect(Set([one, two, copy]).count == 2)
        #expect([one: 1, two: 2][copy] == 1)
    }

    @Test("An archive keeps the ID without its key, which stays in the user's store")
    func archive() throws {
        Surroundings.prepare()
        let id = MCPeerID(displayName: "Anna")
        #expect(MCPeerID.supportsSecureCoding)
        let data = try NSKeyedArchiver.archivedData(withRootObject: id, requiringSecureCoding: true)
        let same = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: MCPeerID.self, from: data))
        #expect(same == id && same.displayName == "Anna" && same.hash == id.hash && same.isLocal)
        #expect(same.publicKeyDescription == id.publicKeyDescription)
        #expect(MCSession(peer: same).myPeerID == id)
        // The name, and the 8 bytes by which others find it; nothing as long as a key.
        let objects = try Self.objects(data).compactMap { $0 as? String }
        #expect(Set(objects.filter { $0.utf8.count != 16 }) == ["Anna", "$null"])
        #expect(!(try Self.objects(data)).contains { $0 is Data })
        // A user who has the archive and not the store has another peer.
        let folder = try #require(getenv("XDG_DATA_HOME").map { String(cString: $0) })
        try FileManager.default.removeItem(
            atPath: "\(folder)/multipeer/connectivity/\(try #require(id.publicKeyDescription))/identity")
        let foreign = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: MCPeerID.self, from: data))
        #expect(foreign == id && !foreign.isLocal && foreign.publicKeyDescription == nil)
        // An app that continues with it is somebody else for others, and is not stopped.
        #expect(MCSession(peer: foreign).myPeerID == id)
    }

    @Test(
        "Archives of one peer are equal, before and after it connects, and for both peers",
        .endsIfItHangs)
    func stable() async throws {
        let service = Neighbour.service()
        let (anna, ben) = (Neighbour(Device("Anna"), service: service), Neighbour(Device("Ben"), service: service))
        for neighbour in [anna, ben] { neighbour.start() }
        let found = try await anna.finds(ben)
        func content(_ id: MCPeerID) throws -> [String] {
            let data = try NSKeyedArchiver.archivedData(withRootObject: id, requiringSecureCoding: true)
            let objects = try Self.objects(data)
            // References to others have no content.
            return ["\(objects.count)"] + objects.compactMap { $0 as? String }
        }
        let before = try content(found)
        try await anna.invite(ben)
        try await eventually { anna.device.connected == ["Ben"] }
        let connected = try #require(anna.device.session.connectedPeers.first)
        #expect(try content(found) == before && content(connected) == before && content(ben.device.id) == before)
        for neighbour in [anna, ben] { neighbour.stop() }
    }

    /// What an archive has.
    private static func objects(_ archive: Data) throws -> [Any] {
        let list = try PropertyListSerialization.propertyList(from: archive, format: nil) as? [String: Any]
        return try #require(list?["$objects"] as? [Any])
    }

    @Test(
        "An archive with an invalid name or tag is nil, and one with another tag is another peer, never the local one"
    )
    func changedArchives() throws {
        Surroundings.prepare()
        let original = MCPeerID(displayName: "Berta")
        // Foundation itself traps for some archives that are broken, so only what this class has written is changed.
        for name in ["", String(repeating: "x", count: 64)] {
            #expect(try Self.archive(original) { ($0 as? String) == "Berta" ? name : nil } == nil)
        }
        for tag in ["", "0123456789abcdeF", "0123456789abcde", "0123456789abcdef0"] {
            let read = try Self.archive(original) { ($0 as? String).flatMap { $0.count == 16 ? tag : nil } }
            #expect(read == nil, "\(tag)")
        }
        let other = try Self.archive(original) { ($0 as? String).flatMap { $0.count == 16 ? "0123456789abcdef" : nil } }
        #expect(other != nil && other != original && other?.isLocal == false)
        let renamed = try Self.archive(original) { ($0 as? String) == "Berta" ? "Anna" : nil }
        #expect(renamed == original && renamed?.displayName == "Anna")
    }

    @Test("No name from an archive stops its session: controls, and the longest of any width")
    func archivedNames() throws {
        let original = MCPeerID(displayName: "Berta")
        let controls = (0...0x9F).compactMap { UnicodeScalar($0) }.map { String(Character($0)) }
        let wide = ["\u{85}", "\u{2028}", "\u{FEFF}", "\u{10FFFF}", "e\u{301}"].map { mark in
            String(repeating: mark, count: 63 / mark.utf8.count)
        }
        for name in controls.filter({ $0 != "\0" }) + wide + ["\u{1}\u{300}", "\r\n"] {
            // Not all of them survive an archive, and none of them traps.
            let id = try Self.archive(original) { ($0 as? String) == "Berta" ? name : nil }
            guard let id else { continue }
            #expect(MCSession(peer: id).myPeerID == original)
        }
    }

    /// Reads an archive in which some objects were replaced.
    private static func archive(_ id: MCPeerID, replacing change: (Any) -> Any?) throws -> MCPeerID? {
        let data = try NSKeyedArchiver.archivedData(withRootObject: id, requiringSecureCoding: true)
        var list = try #require(try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
        let objects = try #require(list["$objects"] as? [Any])
        list["$objects"] = objects.map { change($0) ?? $0 }
        let changed = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        return try? NSKeyedUnarchiver.unarchivedObject(ofClass: MCPeerID.self, from: changed)
    }

    @Test("A remote peer's ID is never built from a name", .endsIfItHangs)
    func remote() async throws {
        let (anna, ben) = try await Device.pair()
        let seen = try #require(anna.session.connectedPeers.first)
        #expect(seen == ben.id && seen != MCPeerID(displayName: "Ben"))
        #expect(!seen.isLocal)
        #expect(throws: MCError.self) {
            try anna.session.send(Data([1]), toPeers: [MCPeerID(displayName: "Ben")], with: .reliable)
        }
    }
}
