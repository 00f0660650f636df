import Multipeer
import MultipeerClock
import MultipeerCommandLine
import MultipeerCrypto
import MultipeerDiscovery
import MultipeerNIO
import MultipeerTerminal

/// Finds the peers that the person means, or lets them be chosen at the terminal.
struct PeerPicker: Sendable {
    let browser: Browser
    let output: Output
    /// How long to look.
    let patience: Duration
    /// What they are looked for.
    let purpose: PickerPurpose
    /// How long others that may be meant as well have their time.
    var waits = Settling.Waits()
    var clock: any SteadyClock = ContinuousClock()

    // MARK: By name

    /// The one peer that is meant.
    /// - Parameter number: That of the code that will prove whose key it is. Then a remembered name means nobody in particular, and of
    ///   several the one that shows this number.
    func find(_ search: PeerSearch, byCode number: Int? = nil) async throws(CommandFailure) -> NearbyPeer {
        let lookup = await PeerLookup(search, by: browser, byCode: number)
        return try await choose(lookup, try await outcomes(of: [lookup])[0])
    }

    /// The peers that are meant, each once. All are looked for at a time.
    func find(_ searches: [PeerSearch]) async throws(CommandFailure) -> [NearbyPeer] {
        var lookups: [PeerLookup] = []
        for search in searches { lookups.append(await PeerLookup(search, by: browser)) }
        var found: [NearbyPeer] = []
        for (lookup, outcome) in zip(lookups, try await outcomes(of: lookups)) {
            let peer = try await choose(lookup, outcome)
            if !found.contains(where: { $0.id == peer.id }) { found.append(peer) }
        }
        return found
    }

    /// Each peer that is meant, once, or why there is none. All are looked for at a time; a person is asked about one after the other.
    func findEach(_ recipients: [PeerArgument]) async -> [FoundRecipient] {
        let outcomes = await withTaskGroup(of: (Int, Result<(PeerLookup, PeerLookup.Outcome), CommandFailure>?).self) {
            group in
            for (number, recipient) in recipients.enumerated() {
                guard case .nearby(let text) = recipient else { continue }
                group.addTask { (number, await outcome(of: PeerSearch(typed: text))) }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        var found: [FoundRecipient] = []
        var tags: Set<KeyTag> = []
        var addresses: Set<Endpoint> = []
        for (number, recipient) in recipients.enumerated() {
            do throws(CommandFailure) {
                if case .address(let endpoint) = recipient {
                    guard addresses.insert(endpoint).inserted else { continue }
                    found.append(FoundRecipient(recipient: recipient, outcome: .success(.address(endpoint, nil))))
                } else if let outcome = outcomes[number] {
                    let (lookup, meant) = try outcome.get()
                    let peer = try await choose(lookup, meant)
                    guard tags.insert(peer.id).inserted else { continue }
                    found.append(FoundRecipient(recipient: recipient, outcome: .success(.nearby(peer, nil))))
                }
            } catch {
                found.append(FoundRecipient(recipient: recipient, outcome: .failure(error)))
            }
        }
        return found
    }

    private func outcome(of search: PeerSearch) async -> Result<(PeerLookup, PeerLookup.Outcome), CommandFailure> {
        do throws(CommandFailure) {
            let lookup = await PeerLookup(search, by: browser)
            return .success((lookup, try await outcomes(of: [lookup])[0]))
        } catch {
            return .failure(error)
        }
    }

    /// The peer that each means, once one is found, and others that may be meant as well had their time.
    private func outcomes(of lookups: [PeerLookup]) async throws(CommandFailure) -> [PeerLookup.Outcome] {
        let end = clock.now.advanced(by: patience)
        var settling = Settling(waits)
        var hasWarned = false
        let waiting = WaitingLine(.search(lookups.map(\.search.shown).joined(separator: ", ")), output)
        defer { waiting.end() }
        while !Task.isCancelled {
            let (peers, now) = (browser.peers, clock.now)
            let outcomes = lookups.map { $0.outcome(among: peers) }
            if let missing = outcomes.firstIndex(of: .nobody) {
                guard now < end else { throw nobody(lookups[missing].search) }
            } else if settling.isOver(peers.map(\.id), isCertain: outcomes.allSatisfy(\.isCertain), at: now)
                || end <= now
            {
                guard let failure = foreign(lookups, outcomes) else { return outcomes }
                guard now < end else { throw failure }
                if !hasWarned { output.warn("\(failure.reason); still looking. \(failure.remedy)") }
                hasWarned = true
            }
            try? await clock.sleep(for: .milliseconds(50))
        }
        throw CommandFailure("discovery", "given up", remedy: "Start again", .interrupted)
    }

    /// The one that is meant.
    private func choose(
        _ lookup: PeerLookup, _ outcome: PeerLookup.Outcome
    ) async throws(CommandFailure) -> NearbyPeer {
        switch outcome {
        case .certain(let peer): return peer
        case .possible(let peers) where peers.count == 1: return peers[0]
        case .possible(let peers):
            guard canChoose else { throw several(lookup.search, peers) }
            return try await choose { peers in
                if case .possible(let meant) = lookup.outcome(among: peers) { meant } else { [] }
            }
        case .foreign(let peers): throw foreign(lookup, peers)
        case .conflicting(let peer): throw conflicting(lookup.search, peer)
        case .nobody: throw nobody(lookup.search)
        }
    }

    private func several(_ search: PeerSearch, _ peers: [NearbyPeer]) -> CommandFailure {
        CommandFailure(
            "discovery", "\(peers.count) peers nearby \(search.pluralPredicate): \(Self.list(peers))",
            remedy: purpose.remedyForSeveral(search), .usage)
    }

    private func conflicting(_ search: PeerSearch, _ peer: NearbyPeer) -> CommandFailure {
        let names = peer.conflictingNames.map { SafeText.escape($0.description) }.sorted().prefix(8)
        return CommandFailure(
            "discovery",
            "the tag \(peer.id) is advertised as \(([peer.name] + names).joined(separator: " and as ")): somebody lies",
            remedy: "Compare keys with the remote person. \(purpose.remedyForSeveral(search))", .usage)
    }

    private static func list(_ peers: [NearbyPeer]) -> String {
        peers.prefix(8).map { peer in
            "\(peer.name) \(peer.id)" + (peer.known.map { " (known, key \($0.key))" } ?? "")
        }.joined(separator: ", ")
    }

    private func nobody(_ search: PeerSearch) -> CommandFailure {
        let others = browser.peers
        // Two programs of one user have one identity, and nobody connects to itself.
        if others.isEmpty, browser.seesItself {
            return CommandFailure(
                "discovery",
                "nobody nearby \(search.predicate); what is advertised has the same identity as this command",
                remedy: "Give one of both peers another identity: --store DIR, with a folder of its own", .unreachable)
        }
        let names = others.prefix(8).map(\.name).joined(separator: ", ")
        let list = others.count == 1 ? "; \(names) is nearby" : "; \(names) are nearby"
        return CommandFailure(
            "discovery",
            "nobody nearby \(search.predicate)"
                + (others.isEmpty ? ", and nobody else is nearby" : list),
            remedy:
                "Run \(purpose.otherSide(search)) at the peer, on the same network (multipeer nearby shows who "
                + "is there, multipeer doctor why nobody is)",
            .unreachable)
    }

    // MARK: Foreign keys

    private func foreign(_ lookups: [PeerLookup], _ outcomes: [PeerLookup.Outcome]) -> CommandFailure? {
        for (lookup, outcome) in zip(lookups, outcomes) {
            if case .foreign(let peers) = outcome { return foreign(lookup, peers) }
        }
        return nil
    }

    private func foreign(_ lookup: PeerLookup, _ peers: [NearbyPeer]) -> CommandFailure {
        let keys = lookup.remembered.map(\.description).sorted()
        return CommandFailure(
            "discovery", "another key is remembered for the name of \(Self.list(peers))",
            remedy: "Ask the remote person why; if the change is right, forget the peer that is remembered: "
                + keys.prefix(8).map { "multipeer peers forget \($0)" }.joined(separator: ", "),
            .refused)
    }

    // MARK: By choice

    private var canChoose: Bool { LineInput.isPossible && !output.isJSON }

    /// Shows the peers nearby, and lets the person choose.
    func choose() async throws(CommandFailure) -> NearbyPeer {
        guard canChoose else {
            let why = output.isJSON ? "--json shows no list" : "standard input is not a terminal"
            throw CommandFailure(
                "discovery", "there is nobody to choose, because \(why)",
                remedy: "Say to whom: \(purpose.nameArgument)", .usage)
        }
        let peer = try await choose { $0 }
        guard let name = peer.displayName else { return peer }
        let lookup = await PeerLookup(.named(name.description), by: browser)
        if case .foreign(let peers) = lookup.outcome(among: [peer]) { throw foreign(lookup, peers) }
        return peer
    }

    private func choose(
        among meant: @escaping @Sendable ([NearbyPeer]) -> [NearbyPeer]
    ) async throws(CommandFailure) -> NearbyPeer {
        let (lists, list) = AsyncStream.makeStream(of: [PickerItem<KeyTag>].self)
        let telling = Task {
            for await peers in PeerLists(browser: browser, output: output, clock: clock).lists {
                list.yield(meant(peers).map(Self.item))
            }
            list.finish()
        }
        defer { telling.cancel() }
        let picker = Picker<KeyTag>(
            on: output.screen, question: purpose.question,
            whenEmpty: "looking for peers that run \(purpose.otherSide(nil))…")
        guard let tag = await picker.choose(from: lists) else {
            throw CommandFailure(
                "discovery", "nobody was chosen", remedy: "Choose a number, or say to whom: \(purpose.nameArgument)",
                .interrupted)
        }
        guard let peer = browser.peers.first(where: { $0.id == tag }) else {
            throw CommandFailure(
                "discovery", "the peer that was chosen is gone", remedy: "Check that the peer still runs",
                .unreachable)
        }
        return peer
    }

    private static func item(_ peer: NearbyPeer) -> PickerItem<KeyTag> {
        let label = peer.known?.displayName.map { SafeText.escape($0.description) } ?? ""
        return PickerItem(id: peer.id, line: NearbyTable.row(peer), words: "\(peer.name) \(label) \(peer.id)")
    }
}

extension PeerLookup.Outcome {
    fileprivate var isCertain: Bool {
        if case .certain = self { true } else { false }
    }
}
