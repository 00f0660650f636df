import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Random operations on networks of members")
struct NodeChurnTests {
    private static func churn(
        seed: UInt64, members: Int, grace: Duration = .zero
    ) throws -> Churn<SeededRandomSource> {
        let (network, session) = try Networks.session(of: members, seed: seed) { $0.grace = grace }
        return Churn(network, session, SeededRandomSource(seed: seed &* 31))
    }

    @Test("Rosters and links converge, and every lost message is reported", arguments: 1...8 as ClosedRange<UInt64>)
    func churn(seed: UInt64) throws {
        var churn = try Self.churn(seed: seed, members: 5)
        for _ in 0..<150 { churn.step() }
        churn.settle()
        #expect(churn.complaints.isEmpty, "seed \(seed)")
        Networks.expectWhole(churn.network, churn.session)
    }

    @Test("The same where lost links come back (SPEC §13.9)", arguments: 1...12 as ClosedRange<UInt64>)
    func withGrace(seed: UInt64) throws {
        var churn = try Self.churn(seed: seed, members: 5, grace: .seconds(60))
        for _ in 0..<150 { churn.step() }
        churn.settle()
        #expect(churn.complaints.isEmpty, "seed \(seed): \(churn.complaints)")
        Networks.expectWhole(churn.network, churn.session)
    }

    @Test("The same seed gives the same run")
    func replay() throws {
        func run() throws -> [[SimulatedApp.Event]] {
            var churn = try Self.churn(seed: 77, members: 4)
            for _ in 0..<60 { churn.step() }
            return churn.network.hosts.map(\.app.events)
        }
        #expect(try run() == run())
    }
}
