import Multipeer
import MultipeerCrypto
import MultipeerDiscovery
import MultipeerTerminal

/// Finds the peer that the person means, or lets it be chosen at the terminal.
struct PeerPicker: Sendable {
    /// How long others of the same name may take to show up.
    private static let settling: Duration = .seconds(1)

    let browser: Browser
    let output: Output
    /// How long to look.
    let patience: Duration

    // MARK: By name

    /// The one peer that is meant.
    func find(_ search: PeerSearch) async throws(CommandFailure) -> NearbyPeer {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: patience)
        var settled: ContinuousClock.Instant?
        while clock.now < end, !Task.isCancelled {
            let matching = browser.peers.filter(search.matches)
            if let peer = matching.first {
                let since = settled ?? clock.now
                settled = since
                if since.advanced(by: Self.settling) <= clock.now {
                    // Whose key is known is meant, whoever else takes the name. The key will be asked for.
                    let known = matching.filter { $0.known != nil }
                    if known.count == 1 { return known[0] }
                    guard matching.count == 1 else { throw Self.several(search, matching) }
                    return peer
                }
            }
            try? await Task.sleep(for: .milliseconds(50))
        }
        throw nobody(search)
    }

    private static func several(_ search: PeerSearch, _ peers: [NearbyPeer]) -> CommandFailure {
        let tags = peers.prefix(8).map { "\($0.name) \($0.id)" }.joined(separator: ", ")
        return CommandFailure(
            "discovery", "\(peers.count) peers nearby \(search.pluralPredicate): \(tags)",
            remedy: search.remedyForSeveral,
            .usage)
    }

    private func nobody(_ search: PeerSearch) -> CommandFailure {
        let others = browser.peers
        let names = others.prefix(8).map(\.name).joined(separator: ", ")
        return CommandFailure(
            "discovery",
            "nobody nearby \(search.predicate)"
                + (others.isEmpty ? ", and nobody else is nearby" : "; there are \(names)"),
            remedy:
                "Run multipeer receive at the other side, on the same network (multipeer nearby shows who is there)",
            .unreachable)
    }

    // MARK: By choice

    /// Shows who is nearby, and lets the person choose.
    func choose() async throws(CommandFailure) -> NearbyPeer {
        guard LineInput.isPossible, !output.isJSON else {
            throw CommandFailure(
                "discovery", "there is nobody to choose, because standard input is not a terminal",
                remedy: "Say to whom: --to NAME", .usage)
        }
        let (lists, list) = AsyncStream.makeStream(of: [PickerItem<KeyTag>].self)
        let telling = Task {
            for await event in browser.events {
                if case .failed(let error) = event { output.warn(SafeText.escape("\(error)")) }
                list.yield(browser.peers.map(Self.item))
            }
            list.finish()
        }
        defer { telling.cancel() }
        let picker = Picker<KeyTag>(
            on: output.screen, question: "Send to whom? ", whenEmpty: "looking for peers that run multipeer receive…")
        guard let tag = await picker.choose(from: lists) else {
            throw CommandFailure(
                "discovery", "nobody was chosen", remedy: "Choose a number, or say to whom: --to NAME", .interrupted)
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
