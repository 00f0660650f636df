import Multipeer
import MultipeerCrypto
import MultipeerDiscovery
import MultipeerTerminal

/// Finds the peers that the person means, or lets them be chosen at the terminal.
struct PeerPicker: Sendable {
    /// How long others of the same name may take to show up.
    private static let settling: Duration = .seconds(1)

    let browser: Browser
    let output: Output
    /// How long to look.
    let patience: Duration
    /// What they are looked for.
    let purpose: PickerPurpose

    // MARK: By name

    /// The one peer that is meant.
    func find(_ search: PeerSearch) async throws(CommandFailure) -> NearbyPeer {
        try await choose(search, of: try await matching([search])[0])
    }

    /// The peers that are meant, each once. All are looked for at a time.
    func find(_ searches: [PeerSearch]) async throws(CommandFailure) -> [NearbyPeer] {
        var found: [NearbyPeer] = []
        for (search, peers) in zip(searches, try await matching(searches)) {
            let peer = try await choose(search, of: peers)
            if !found.contains(where: { $0.id == peer.id }) { found.append(peer) }
        }
        return found
    }

    /// Who fits each of the searches, once somebody fits each.
    private func matching(_ searches: [PeerSearch]) async throws(CommandFailure) -> [[NearbyPeer]] {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: patience)
        var settled: ContinuousClock.Instant?
        while !Task.isCancelled {
            let peers = browser.peers
            let matching = searches.map { search in peers.filter(search.matches) }
            if let missing = matching.firstIndex(where: \.isEmpty) {
                guard clock.now < end else { throw nobody(searches[missing]) }
            } else {
                let since = settled ?? clock.now
                settled = since
                if since.advanced(by: Self.settling) <= clock.now || end <= clock.now { return matching }
            }
            try? await Task.sleep(for: .milliseconds(50))
        }
        throw CommandFailure("discovery", "given up", remedy: "Start again", .interrupted)
    }

    /// The one that is meant of those that fit.
    private func choose(_ search: PeerSearch, of peers: [NearbyPeer]) async throws(CommandFailure) -> NearbyPeer {
        // Whose key is known is meant, whoever else takes the name. The key will be asked for.
        let known = peers.filter { $0.known != nil }
        if known.count == 1 { return known[0] }
        if peers.count == 1 { return peers[0] }
        guard canChoose else { throw several(search, peers) }
        return try await choose(among: search.matches)
    }

    private func several(_ search: PeerSearch, _ peers: [NearbyPeer]) -> CommandFailure {
        let tags = peers.prefix(8).map { "\($0.name) \($0.id)" }.joined(separator: ", ")
        return CommandFailure(
            "discovery", "\(peers.count) peers nearby \(search.pluralPredicate): \(tags)",
            remedy: purpose.remedyForSeveral(search), .usage)
    }

    private func nobody(_ search: PeerSearch) -> CommandFailure {
        let others = browser.peers
        let names = others.prefix(8).map(\.name).joined(separator: ", ")
        return CommandFailure(
            "discovery",
            "nobody nearby \(search.predicate)"
                + (others.isEmpty ? ", and nobody else is nearby" : "; there are \(names)"),
            remedy:
                "Run \(purpose.otherSide(search)) at the other side, on the same network (multipeer nearby shows who "
                + "is there, multipeer doctor why nobody is)",
            .unreachable)
    }

    // MARK: By choice

    private var canChoose: Bool { LineInput.isPossible && !output.isJSON }

    /// Shows who is nearby, and lets the person choose.
    func choose() async throws(CommandFailure) -> NearbyPeer {
        guard canChoose else {
            let why = output.isJSON ? "--json shows no list" : "standard input is not a terminal"
            throw CommandFailure(
                "discovery", "there is nobody to choose, because \(why)",
                remedy: "Say to whom: \(purpose.nameArgument)", .usage)
        }
        return try await choose { _ in true }
    }

    private func choose(
        among isMeant: @escaping @Sendable (NearbyPeer) -> Bool
    ) async throws(CommandFailure) -> NearbyPeer {
        let (lists, list) = AsyncStream.makeStream(of: [PickerItem<KeyTag>].self)
        let telling = Task {
            list.yield(browser.peers.filter(isMeant).map(Self.item))
            for await event in browser.events {
                if case .failed(let error) = event { output.warn(SafeText.escape("\(error)")) }
                list.yield(browser.peers.filter(isMeant).map(Self.item))
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
                "discovery", "the peer that was chosen is gone", remedy: "Check that the other side still runs",
                .unreachable)
        }
        return peer
    }

    private static func item(_ peer: NearbyPeer) -> PickerItem<KeyTag> {
        let label = peer.known?.displayName.map { SafeText.escape($0.description) } ?? ""
        return PickerItem(id: peer.id, line: NearbyTable.row(peer), words: "\(peer.name) \(label) \(peer.id)")
    }
}
