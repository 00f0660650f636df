import Multipeer
import MultipeerDiscovery

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
            "discovery", "\(peers.count) peers nearby are called \(SafeText.escape(search.text)): \(tags)",
            remedy: "Give the digits of the one that is meant: --to TAG", .usage)
    }

    private func nobody(_ search: PeerSearch) -> CommandFailure {
        let others = browser.peers
        let names = others.prefix(8).map(\.name).joined(separator: ", ")
        return CommandFailure(
            "discovery",
            "nobody nearby is called \(SafeText.escape(search.text))"
                + (others.isEmpty ? ", and nobody else is nearby" : "; there are \(names)"),
            remedy:
                "Run multipeer receive at the other side, on the same network (multipeer nearby shows who is there)",
            .unreachable)
    }

    // MARK: By choice

    /// Shows who is nearby, and takes a number.
    func choose() async throws(CommandFailure) -> NearbyPeer {
        guard StandardStream.input.isTerminal, !output.isJSON else {
            throw CommandFailure(
                "discovery", "there is nobody to choose, because standard input is not a terminal",
                remedy: "Say to whom: --to NAME", .usage)
        }
        let list = PickerList(output)
        let telling = Task { await list.follow(browser) }
        defer {
            telling.cancel()
            output.show(question: nil)
        }
        output.show(question: "Send to which number? (looking) ")
        let lines = Self.lines()
        for await line in lines {
            guard !line.isEmpty else { continue }
            if let peer = await list.peer(line) { return peer }
            output.warn("there is no number \(SafeText.escape(line))")
            output.show(question: "Send to which number? ")
        }
        throw CommandFailure(
            "discovery", "nobody was chosen", remedy: "Choose a number, or say to whom: --to NAME", .interrupted)
    }

    /// What is typed, until nobody wants it.
    private static func lines() -> AsyncStream<String> {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        let cancellation = Cancellation()
        continuation.onTermination = { _ in cancellation.set() }
        OwnThread.start {
            while !cancellation.isSet, let line = TerminalLine.read(unless: cancellation) { continuation.yield(line) }
            continuation.finish()
        }
        return lines
    }
}

/// The numbered list of the picker. A number belongs to its peer for good.
private actor PickerList {
    private var peers: [NearbyPeer] = []
    private let output: Output

    init(_ output: Output) { self.output = output }

    func follow(_ browser: Browser) async {
        for await event in browser.events {
            switch event {
            case .found(let peer), .changed(let peer): show(peer)
            case .lost(let peer): lost(peer)
            case .failed(let error): output.warn(SafeText.escape("\(error)"))
            }
        }
    }

    func peer(_ line: String) -> NearbyPeer? {
        guard let number = Int(line), peers.indices.contains(number - 1) else { return nil }
        return peers[number - 1]
    }

    private func show(_ peer: NearbyPeer) {
        if let index = peers.firstIndex(where: { $0.id == peer.id }) {
            peers[index] = peer
            return
        }
        peers.append(peer)
        let number = peers.count
        output.note { palette in "\(palette.bold("\(number)"))  \(NearbyTable.row(peer, columns: nil, palette))" }
    }

    private func lost(_ peer: NearbyPeer) {
        guard let index = peers.firstIndex(where: { $0.id == peer.id }) else { return }
        output.note { palette in palette.yellow("\(index + 1)  \(peer.name) is gone") }
    }
}
