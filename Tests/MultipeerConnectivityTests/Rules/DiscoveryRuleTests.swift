import Foundation
import MultipeerConnectivity
import MultipeerTestSupport
import Testing

@Suite("Rules 2 and 3: service types and discovery info", .endsIfItHangs)
struct DiscoveryRuleTests {
    @Test(
        "A service type has 1 to 15 letters, digits and hyphens as RFC 6335 §5.1 says",
        arguments: ["a", "a1", "1a", "a-1", "abcdefghijklmno", "a-b-c-d-e-f-g-h", "A", "MKSVC", "StudyTime"])
    func legalTypes(type: String) {
        Surroundings.prepare()
        let me = MCPeerID(displayName: "Anna")
        #expect(MCNearbyServiceAdvertiser(peer: me, discoveryInfo: nil, serviceType: type).serviceType == type)
        #expect(MCNearbyServiceBrowser(peer: me, serviceType: type).serviceType == type)
        let session = MCSession(peer: me)
        #expect(MCAdvertiserAssistant(serviceType: type, discoveryInfo: nil, session: session).serviceType == type)
        #expect(MCBrowserViewController(serviceType: type, session: session).browser?.serviceType == type)
    }

    private static let illegalTypes = [
        "", "abcdefghijklmnop", "1", "12-3", "-a", "a-", "a--b", "a_b", "a b", "ä", "Ä", "\u{212A}", "_chat._tcp",
        "_CHAT._TCP", "a\u{1}",
    ]

    @Test("Other types trap, as with Apple's framework, and a line names the fault", arguments: illegalTypes)
    func illegalType(type: String) async {
        let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [type] in
            _ = MCNearbyServiceBrowser(peer: MCPeerID(displayName: "Anna"), serviceType: type)
        }
        let said = String(decoding: end?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("MultipeerConnectivity: serviceType: ") && said.contains("Choose 1 to 15 of a–z"))
    }

    @Test("Peers whose apps write the service in different cases find each other, and each app reads its own")
    func cases() async throws {
        let service = Neighbour.service()
        let anna = Neighbour(Device("Anna"), service: service)
        let ben = Neighbour(Device("Ben"), service: service.uppercased())
        for neighbour in [anna, ben] { neighbour.start() }
        _ = try await anna.finds(ben)
        _ = try await ben.finds(anna)
        #expect(ben.browser.serviceType == service.uppercased() && ben.advertiser.serviceType == service.uppercased())
        for neighbour in [anna, ben] { neighbour.stop() }
    }

    @Test("An advertiser, an assistant and a list trap for such types too")
    func otherIllegalTypes() async {
        await #expect(processExitsWith: .failure) {
            _ = MCNearbyServiceAdvertiser(
                peer: MCPeerID(displayName: "Anna"), discoveryInfo: nil, serviceType: "too-long-for-a-type")
        }
        await #expect(processExitsWith: .failure) {
            let session = MCSession(peer: MCPeerID(displayName: "Anna"))
            _ = MCAdvertiserAssistant(serviceType: "-", discoveryInfo: nil, session: session)
        }
        await #expect(processExitsWith: .failure) {
            let session = MCSession(peer: MCPeerID(displayName: "Anna"))
            _ = MCBrowserViewController(serviceType: "-", session: session)
        }
    }

    @Test("A pair of discovery info has 255 bytes at most, and no key has an equals sign")
    func info() async {
        func make(_ info: [String: String]?) -> [String: String]? {
            MCNearbyServiceAdvertiser(peer: MCPeerID(displayName: "A"), discoveryInfo: info, serviceType: "a")
                .discoveryInfo
        }
        for info in [nil, [:], ["k": ""], ["k": "v=w"], ["k": String(repeating: "x", count: 253)]] {
            #expect(make(info) == info)
        }
        await #expect(processExitsWith: .failure) {
            _ = MCNearbyServiceAdvertiser(
                peer: MCPeerID(displayName: "A"), discoveryInfo: ["a=b": "c"], serviceType: "a")
        }
        await #expect(processExitsWith: .failure) {
            _ = MCNearbyServiceAdvertiser(peer: MCPeerID(displayName: "A"), discoveryInfo: ["": "c"], serviceType: "a")
        }
        await #expect(processExitsWith: .failure) {
            _ = MCNearbyServiceAdvertiser(
                peer: MCPeerID(displayName: "A"), discoveryInfo: ["k": String(repeating: "x", count: 254)],
                serviceType: "a")
        }
    }

    @Test("Info that Apple's framework accepts and the protocol does not is left out, and the rest arrives")
    func leftOut() async throws {
        let service = Neighbour.service()
        let anna = Neighbour(Device("Anna"), service: service)
        let long = (0..<10).map { ("k\($0)", String(repeating: "x", count: 60)) }
        let info = Dictionary(
            uniqueKeysWithValues: long + [("_own", "1"), ("größe", "2"), ("Room", "4"), ("room", "5")])
        let ben = Neighbour(Device("Ben"), service: service, info: info)
        #expect(ben.advertiser.discoveryInfo == info)
        anna.browser.startBrowsingForPeers()
        ben.advertiser.startAdvertisingPeer()
        _ = try await anna.finds(ben)
        let arrived = Dictionary(uniqueKeysWithValues: long.prefix(6) + [("Room", "4")])
        #expect(anna.info(of: "Ben") == arrived)
        for neighbour in [anna, ben] { neighbour.stop() }
    }

    @Test("An advertiser is found once with its info, whatever is started twice, and lost when it stops")
    func found() async throws {
        let service = Neighbour.service()
        let anna = Neighbour(Device("Anna"), service: service)
        let ben = Neighbour(Device("Ben"), service: service, info: ["room": "4", "mood": "good = fine"])
        anna.browser.startBrowsingForPeers()
        anna.browser.startBrowsingForPeers()
        ben.advertiser.startAdvertisingPeer()
        ben.advertiser.startAdvertisingPeer()
        let found = try await anna.finds(ben)
        #expect(found.displayName == "Ben" && !found.isLocal)
        #expect(anna.info(of: "Ben") == ["room": "4", "mood": "good = fine"])
        ben.advertiser.stopAdvertisingPeer()
        ben.advertiser.stopAdvertisingPeer()
        try await eventually { anna.comings == ["+Ben", "-Ben"] }
        ben.advertiser.startAdvertisingPeer()
        try await eventually { anna.comings == ["+Ben", "-Ben", "+Ben"] }
        anna.browser.stopBrowsingForPeers()
        anna.browser.stopBrowsingForPeers()
        #expect(anna.faults.isEmpty && ben.faults.isEmpty)
        ben.stop()
    }

    @Test("No peer finds itself or a peer of another service; one without info has none")
    func others() async throws {
        let service = Neighbour.service()
        let (anna, ben) = (Neighbour(Device("Anna"), service: service), Neighbour(Device("Ben"), service: service))
        let other = Neighbour(Device("Other"), service: Neighbour.service())
        for neighbour in [anna, ben, other] { neighbour.start() }
        _ = try await anna.finds(ben)
        _ = try await ben.finds(anna)
        #expect(anna.comings == ["+Ben"] && ben.comings == ["+Anna"] && other.comings == [])
        #expect(anna.info(of: "Ben") == nil)
        for neighbour in [anna, ben, other] { neighbour.stop() }
    }
}
