import Foundation
import MultipeerConnectivity
import MultipeerTestSupport
import Testing

@Suite("Rule 1: peer IDs")
struct PeerIDRuleTests {
    @Test("A display name has 1 to 63 bytes of UTF-8; others trap, as with Apple's framework")
    func names() async {
        for name in ["A", String(repeating: "x", count: 63), String(repeating: "ü", count: 31) + "x"] {
            #expect(MCPeerID(displayName: name).displayName == name)
        }
        await #expect(processExitsWith: .failure) { _ = MCPeerID(displayName: "") }
        await #expect(processExitsWith: .failure) { _ = MCPeerID(displayName: String(repeating: "x", count: 64)) }
        await #expect(processExitsWith: .failure) { _ = MCPeerID(displayName: String(repeating: "ü", count: 32)) }
    }

    @Test("Whatever else is in a name is the person's own: controls, marks, joined emoji")
    func unusualNames() {
        for name in ["a\nb", " ", "👩‍👩‍👧‍👦", "e\u{301}", "\u{202E}abc", "\u{0}"] {
            let id = MCPeerID(displayName: name)
            #expect(id.displayName == name)
            #expect(MCSession(peer: id).myPeerID.displayName == name)
        }
    }

    @Test("Each is a new identity, even for an equal name; a copy is the same")
    func identity() throws {
        let (one, two) = (MCPeerID(displayName: "Anna"), MCPeerID(displayName: "Anna"))
        #expect(one != two && !one.isEqual(two) && !one.isEqual(nil) && !one.isEqual("Anna"))
        let copy = try #require(one.copy() as? MCPeerID)
        #expect(copy == one && copy.hash == one.hash)
        #expect(Set([one, two, copy]).count == 2)
        #expect([one: 1, two: 2][copy] == 1)
    }

    @Test("An archive keeps it, key and all")
    func archive() throws {
        let id = MCPeerID(displayName: "Anna")
        #expect(MCPeerID.supportsSecureCoding)
        let data = try NSKeyedArchiver.archivedData(withRootObject: id, requiringSecureCoding: true)
        let same = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: MCPeerID.self, from: data))
        #expect(same == id && same.displayName == "Anna" && same.hash == id.hash)
        // Only the owner of the key can be the peer of a session.
        #expect(MCSession(peer: same).myPeerID == id)
    }

    @Test("The archive of somebody else's peer ID is no identity of this side")
    func foreignArchive() throws {
        let id = MCPeerID(displayName: "Anna")
        let data = try NSKeyedArchiver.archivedData(withRootObject: id.publicCopy, requiringSecureCoding: true)
        let same = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: MCPeerID.self, from: data))
        #expect(same == id && !same.isLocal)
    }

    @Test("An archive in which anything was changed but the name is nothing, and a name must be one")
    func changedArchives() throws {
        let original = MCPeerID(displayName: "Berta")
        // Foundation itself traps for some archives that are broken, so only what this class has written is changed.
        for (count, change) in [(1, Data([0])), (32, Data(count: 32)), (33, Data())] {
            #expect(try Self.archive(original) { ($0 as? Data).map { _ in change } } == nil, "\(count)")
        }
        for name in ["", String(repeating: "x", count: 64)] {
            #expect(try Self.archive(original) { ($0 as? String) == "Berta" ? name : nil } == nil)
        }
        let tag = try Self.archive(original) {
            ($0 as? String).flatMap { $0.count == 16 ? String($0.reversed()) : nil }
        }
        #expect(tag == nil)
        let renamed = try Self.archive(original) { ($0 as? String) == "Berta" ? "Anna" : nil }
        #expect(renamed == original && renamed?.displayName == "Anna")
    }

    @Test("No name that an archive may bring stops the session of it: controls, and the longest of any width")
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

    @Test("A remote peer's ID is never built from a name", .timeLimit(.minutes(1)))
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
