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

    @Test("What is no archive, or was changed, is nothing")
    func brokenArchives() throws {
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: MCPeerID(displayName: "Anna"), requiringSecureCoding: true)
        for length in stride(from: 0, to: data.count, by: 7) {
            let cut = try? NSKeyedUnarchiver.unarchivedObject(ofClass: MCPeerID.self, from: data.prefix(length))
            #expect(cut == nil)
        }
        // Another name is allowed, another key is not: whatever byte changes, nobody gets another identity under the old key.
        let original = MCPeerID(displayName: "Berta")
        var bytes = try NSKeyedArchiver.archivedData(withRootObject: original, requiringSecureCoding: true)
        for index in bytes.indices {
            bytes[index] ^= 1
            if let id = try? NSKeyedUnarchiver.unarchivedObject(ofClass: MCPeerID.self, from: bytes), id.isLocal {
                #expect(id == original)
            }
            bytes[index] ^= 1
        }
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
