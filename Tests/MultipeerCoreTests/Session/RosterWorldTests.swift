import MultipeerCrypto
import MultipeerWire
import Testing

@testable import MultipeerCore

/// Rosters with room for three entries, to which entries of up to seven members of two branches come in every order, and again and again.
/// All states that can be reached are visited.
@Suite("All states of a small roster, SPEC §14.4")
struct RosterWorldTests {
    private static let capacity = 3

    /// The entries of a world: of a member one that is present, a later one that has left, or both.
    private struct World {
        let sample: SampleSession
        var entries: [VerifiedEntry] = []

        init() throws { sample = try SampleSession() }

        /// Adds the entries of a member, and returns its key.
        @discardableResult
        mutating func add(_ path: [UInt64], comes: Bool = true, leaves: Bool = true) throws -> IdentityKey {
            let present = try sample.entry(path, sequence: 0)
            if comes { entries.append(present) }
            if leaves { entries.append(try sample.entry(path, sequence: 1, presence: .left)) }
            return present.member
        }

        var roster: Roster {
            Roster(
                sample.charter, hashing: Peers.crypto.hashing, verifier: RememberingVerifier(Peers.crypto.signatures),
                capacity: RosterWorldTests.capacity)
        }
    }

    /// What a roster holds, and which entry of each member was the greatest that came.
    private struct State: Hashable {
        let held: [IdentityKey: EntryVersion]
        let apart: [IdentityKey: EntryVersion]
        var came: [IdentityKey: EntryVersion]
    }

    /// Visits all states, and returns how many there are.
    private func explore(
        _ world: World, _ check: (Roster, [IdentityKey: EntryVersion]) throws -> Void
    ) throws -> Int {
        func state(_ roster: Roster, _ came: [IdentityKey: EntryVersion]) -> State {
            State(
                held: Dictionary(uniqueKeysWithValues: roster.all.map { ($0.member, $0.version) }),
                apart: roster.apart.mapValues(\.version), came: came)
        }
        var waiting: [(Roster, [IdentityKey: EntryVersion])] = [(world.roster, [:])]
        var seen: Set<State> = [state(world.roster, [:])]
        while let (roster, came) = waiting.popLast() {
            for entry in world.entries {
                var (next, history) = (roster, came)
                _ = try next.insert(entry.entry)
                history[entry.member] = max(history[entry.member] ?? entry.version, entry.version)
                try check(next, history)
                if seen.insert(state(next, history)).inserted { waiting.append((next, history)) }
            }
        }
        return seen.count
    }

    @Test("A replayed entry never brings back a member that has left, whatever the other branch sends (R14.4-4)")
    func departed() throws {
        var world = try World()
        // The branch of member 2 admits as many as it likes. Member 10 is of a branch of its own, and leaves.
        for path in [[2], [2, 3], [2, 4]] as [[UInt64]] { try world.add(path) }
        for path in [[2, 5], [2, 6]] as [[UInt64]] { try world.add(path, comes: false) }
        try world.add([2, 7], leaves: false)
        let honest = try world.add([10])
        var (returns, visits) = (0, 0)
        let states = try explore(world) { roster, came in
            visits += 1
            guard let newest = came[honest], let held = roster[honest] else { return }
            if held.version < newest { returns += 1 }
        }
        #expect(returns == 0)
        #expect(states == 1_216)
        #expect(visits > states)
    }

    @Test("A present member has its place, however many the other branch admits (R14.4-3)")
    func present() throws {
        var world = try World()
        for path in [[2], [2, 3], [2, 4], [2, 5]] as [[UInt64]] { try world.add(path) }
        let honest = try world.add([10], leaves: false)
        var missing = 0
        let states = try explore(world) { roster, came in
            if came[honest] != nil, roster[honest] == nil { missing += 1 }
        }
        #expect(missing == 0 && states == 254)
    }

    /// An entry that had no room gets it when a neighbour sends it again, as DIGEST and SUMMARY make it do.
    @Test(
        "Once all was sent again, a roster depends on the received entries, and not on their order (R14.4-3, R14.4-4)")
    func order() throws {
        var world = try World()
        for path in [[2], [2, 3], [10], [10, 11]] as [[UInt64]] { try world.add(path) }
        var held: [[IdentityKey: EntryVersion]: [UInt8]] = [:]
        var differences = 0
        _ = try explore(world) { roster, came in
            var again = roster
            for entry in world.entries where came[entry.member] == entry.version { _ = try again.insert(entry.entry) }
            let digest = again.digest
            if held.updateValue(digest, forKey: came).map({ $0 != digest }) ?? false { differences += 1 }
        }
        #expect(differences == 0 && held.count == 80)
    }
}
