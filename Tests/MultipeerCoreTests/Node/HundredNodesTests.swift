import MultipeerCore
import MultipeerTesting
import Testing

@Suite("A hundred nodes in one test, SPEC §14")
struct HundredNodesTests {
    @Test(
        "Members join, leave, crash, forget or are cut off: one roster, one link for two, a reason for each end",
        arguments: [1] as [UInt64])
    func hundred(seed: UInt64) throws {
        var crowd = try Crowd(seed: seed, size: 100)
        crowd.grow(by: 80)
        for _ in 0..<64 { crowd.step() }
        let isQuiet = crowd.settle()
        #expect(isQuiet, "seed \(seed)")
        crowd.expectOneRoster()
        crowd.expectNoGhosts()
        crowd.expectWholeStories()
        #expect(!crowd.away.isEmpty, "seed \(seed)")
        // Nobody tries once a second what was refused: a minute later nothing has happened (R14.8-6, R14.9-3).
        let before = crowd.record
        crowd.network.run(for: .seconds(60))
        let after = crowd.record
        let isSame = after.events == before.events
        #expect(isSame && after.dials == before.dials, "seed \(seed)")
        crowd.expectOneRoster()
        crowd.expectNoGhosts()
    }

    @Test("The same seed gives the same run")
    func replay() throws {
        func run() throws -> [[SimulatedApp.Event]] {
            var crowd = try Crowd(seed: 7, size: 20)
            for _ in 0..<150 { crowd.step() }
            return crowd.record.events
        }
        let first = try run()
        #expect(try run() == first && first.joined().count > 100)
    }
}
