import Foundation
import MultipeerConnectivity
import MultipeerTestSupport
import Testing

@Suite("Peer IDs")
struct IdentityTests {
    private func archive(_ id: MCPeerID) throws -> Data {
        try NSKeyedArchiver.archivedData(withRootObject: id, requiringSecureCoding: true)
    }

    private func restore(_ data: Data) throws -> MCPeerID? {
        try NSKeyedUnarchiver.unarchivedObject(ofClass: MCPeerID.self, from: data)
    }

    /// The key is that of a test vector of RFC 8032.
    private static let linkOfOther =
        "multipeer:d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a?at=127.0.0.1:9&name=Eve"

    @Test("An archive restores the same peer, which has its private key; a peer met elsewhere has none")
    func archives() throws {
        Surroundings.prepare()
        let id = MCPeerID(displayName: "Anna")
        let back = try #require(try restore(try archive(id)))
        #expect(back == id && back.hash == id.hash && back.displayName == "Anna" && back.isLocal)
        #expect(back.publicKeyDescription == id.publicKeyDescription)
        let other = try #require(MCPeerID(nearbyConnectionData: Data(Self.linkOfOther.utf8)))
        let told = try #require(try restore(try archive(other)))
        #expect(told == other && !told.isLocal)
        // Archives inside of others, as apps keep several.
        let both = try NSKeyedArchiver.archivedData(
            withRootObject: [id, id.publicCopy] as NSArray, requiringSecureCoding: true)
        let read = try NSKeyedUnarchiver.unarchivedObject(ofClasses: [NSArray.self, MCPeerID.self], from: both)
        #expect((read as? [MCPeerID]) == [id, id])
    }

    @Test("Equal names are different peers, and a copy is the same")
    func equality() throws {
        let (one, two) = (MCPeerID(displayName: "Anna"), MCPeerID(displayName: "Anna"))
        #expect(one != two && one == one.copy() as? MCPeerID && one.description == "Anna")
        #expect(Set([one, two, one.publicCopy]).count == 2)
    }

    @Test("A name with control characters is kept for the app, and none of them is sent to others")
    func controlCharacters() async throws {
        let app = App("A\u{7}n\nna", service: App.service())
        #expect(app.id.displayName == "A\u{7}n\nna")
        let data = await withCheckedContinuation { continuation in
            app.session.nearbyConnectionData(forPeer: MCPeerID(displayName: "Ben")) { data, _ in
                continuation.resume(returning: data)
            }
        }
        let told = try #require(data)
        let seen = try #require(MCPeerID(nearbyConnectionData: told))
        #expect(seen == app.id && seen.displayName == "A n na" && !seen.isLocal)
        #expect(MCPeerID(nearbyConnectionData: Data("multipeer:".utf8)) == nil)
    }
}
