import Foundation
import MultipeerConnectivity
import MultipeerTestSupport
import Testing

@Suite("The facade against the list of Apple's symbols")
struct SymbolTests {
    /// The list of all public symbols stays outside the repository.
    private static let list: String? = try? String(
        contentsOf: ExternalVectors.folder.deletingLastPathComponent().appendingPathComponent("APPLE-API.md"),
        encoding: .utf8)

    @Test("Every symbol has its type, its number and its setter, once")
    func surface() {
        let names = Surface.all.map(\.name)
        #expect(names.count == Set(names).count)
        #expect(names.count == 94)
    }

    @Test("The list names no other symbols", .enabled(if: list != nil))
    func complete() throws {
        let list = SymbolList(markdown: try #require(Self.list)).names
        let covered = Set(Surface.all.map(\.name))
        #expect(list.subtracting(covered).sorted() == [])
        #expect(covered.subtracting(list).sorted() == [])
    }

    @Test("Apps can subclass the framework's classes")
    func open() {
        final class OwnSession: MCSession, @unchecked Sendable {}
        final class OwnBrowser: MCNearbyServiceBrowser, @unchecked Sendable {
            override func startBrowsingForPeers() {}
            override func stopBrowsingForPeers() {}
        }
        final class OwnAdvertiser: MCNearbyServiceAdvertiser, @unchecked Sendable {
            override func startAdvertisingPeer() {}
        }
        let me = MCPeerID(displayName: "Anna")
        #expect(OwnSession(peer: me).connectedPeers.isEmpty)
        let browser = OwnBrowser(peer: me, serviceType: "own-browser")
        #expect(MCBrowserViewController(browser: browser, session: MCSession(peer: me)).browser === browser)
        OwnAdvertiser(peer: me, discoveryInfo: nil, serviceType: "own-browser").startAdvertisingPeer()
    }

    @Test("The completion handler of a resource may be omitted")
    func defaults() {
        let session = MCSession(peer: MCPeerID(displayName: "Anna"))
        let progress = session.sendResource(
            at: URL(fileURLWithPath: "/nonexistent"), withName: "a", toPeer: MCPeerID(displayName: "Ben"))
        #expect(progress == nil || progress?.isFinished == false)
    }

    @Test("Errors are caught as Apple's are")
    func errors() {
        func fault() throws { throw MCError(.timedOut) }
        #expect((MCError(.timedOut) as NSError).domain == MCErrorDomain)
        #expect((MCError(.timedOut) as NSError).code == MCError.Code.timedOut.rawValue)
        #expect(MCError(.timedOut).code == .timedOut && MCError(.timedOut) == MCError(.timedOut))
        #expect(MCError(.timedOut) != MCError(.cancelled))
        do {
            try fault()
        } catch let error as MCError where error.code == .timedOut {
        } catch {
            Issue.record("\(error)")
        }
        do {
            try fault()
        } catch MCError.timedOut {
        } catch {
            Issue.record("\(error)")
        }
        // Objective-C's way.
        #expect(MCError.errorDomain == MCErrorDomain)
        #expect(!MCError(.timedOut).localizedDescription.isEmpty)
    }
}
