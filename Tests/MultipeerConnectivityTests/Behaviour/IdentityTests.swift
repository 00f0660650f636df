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

    @Test("An archive brings back the same peer with its private key; one of a public copy has none")
    func archives() throws {
        let id = MCPeerID(displayName: "Anna")
        let back = try #require(try restore(try archive(id)))
        #expect(back == id && back.hash == id.hash && back.displayName == "Anna" && back.isLocal)
        #expect(back.publicKeyDescription == id.publicKeyDescription)
        let told = try #require(try restore(try archive(id.publicCopy)))
        #expect(told == id && !told.isLocal)
        // Archives inside of others, as apps keep several.
        let both = try NSKeyedArchiver.archivedData(
            withRootObject: [id, id.publicCopy] as NSArray, requiringSecureCoding: true)
        let read = try NSKeyedUnarchiver.unarchivedObject(ofClasses: [NSArray.self, MCPeerID.self], from: both)
        #expect((read as? [MCPeerID]) == [id, id])
    }

    @Test("An archive with the key of another peer is none")
    func exchangedKeys() throws {
        let (anna, eve) = (MCPeerID(displayName: "Anna"), MCPeerID(displayName: "Eve"))
        let keys = try [anna, eve].map { try Self.bytes(ofHexadecimal: try #require($0.publicKeyDescription)) }
        for id in [anna, anna.publicCopy] {
            var data = try archive(id)
            #expect(try restore(data) == anna)
            let place = try #require(data.firstRange(of: keys[0]))
            data.replaceSubrange(place, with: keys[1])
            let read = try? restore(data)
            #expect(read == nil)
        }
    }

    private static func bytes(ofHexadecimal text: String) throws -> Data {
        let digits = try text.map { UInt8(try #require($0.hexDigitValue)) }
        return Data(stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    }

    @Test("Equal names are different peers, and a copy is the same")
    func equality() throws {
        let (one, two) = (MCPeerID(displayName: "Anna"), MCPeerID(displayName: "Anna"))
        #expect(one != two && one == one.copy() as? MCPeerID && one.description == "Anna")
        #expect(Set([one, two, one.publicCopy]).count == 2)
    }

    @Test("A name with control characters is one for the app, and none of them goes to others")
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
