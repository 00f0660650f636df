import Foundation
import Multipeer
import MultipeerCrypto
import MultipeerTerminal
import Synchronization

/// The peers that an ``MCBrowserViewController`` shows: those nearby, and those of the session.
final class NearbyList: NSObject, MCNearbyServiceBrowserDelegate, Sendable {
    /// What can be chosen.
    enum Choice: Hashable, Sendable {
        /// The row of that number.
        case peer(Int)
        case done
    }

    private enum Status {
        case nearby
        case invited
        case connected
        /// The text says why.
        case notConnected(String)
    }

    private struct Row {
        let number: Int
        let peer: MCPeerID
        var info: [String: String]
        var status: Status
        /// Whether it was found, and not lost.
        var isNearby: Bool
    }

    private struct State {
        var rows: [Row] = []
        var lastNumber = 0
        var items: AsyncStream<[PickerItem<Choice>]>.Continuation?
        var least: @Sendable () -> Int = { 0 }
    }

    private let state = Mutex(State())
    private let session: MCSession
    private let shouldPresent: @Sendable (MCPeerID, [String: String]?) async -> Bool

    init(
        of session: MCSession, shouldPresent: @escaping @Sendable (MCPeerID, [String: String]?) async -> Bool
    ) {
        self.session = session
        self.shouldPresent = shouldPresent
        super.init()
        for peer in session.connectedPeers { note(peer, .connected, nil) }
        session.engine.watchers.add(self) { [weak self] in self?.note($0, $1, $2) }
    }

    deinit { session.engine.watchers.remove(self) }

    /// From now on every change is shown there.
    ///
    /// - Parameter least: From how many peers of the session on there is *Done*.
    func show(in items: AsyncStream<[PickerItem<Choice>]>.Continuation?, least: @escaping @Sendable () -> Int) {
        change { state in
            (state.items, state.least) = (items, least)
        }
    }

    /// Returns the peer to invite; nil if that makes no sense.
    func beginInvitation(_ number: Int) -> MCPeerID? {
        change { state in
            guard let index = state.rows.firstIndex(where: { $0.number == number }), state.rows[index].isNearby
            else { return nil }
            switch state.rows[index].status {
            case .invited, .connected: return nil
            case .nearby, .notConnected:
                state.rows[index].status = .invited
                return state.rows[index].peer
            }
        }
    }

    // MARK: What happens

    func browser(
        _ browser: MCNearbyServiceBrowser, foundPeer peerID: MCPeerID, withDiscoveryInfo info: [String: String]?
    ) {
        Task {
            guard await shouldPresent(peerID, info) else { return }
            change { state in
                if let index = state.rows.firstIndex(where: { $0.peer == peerID }) {
                    state.rows[index].info = info ?? [:]
                    state.rows[index].isNearby = true
                } else {
                    Self.add(peerID, info ?? [:], .nearby, isNearby: true, &state)
                }
            }
        }
    }

    func browser(_ browser: MCNearbyServiceBrowser, lostPeer peerID: MCPeerID) {
        change { state in
            guard let index = state.rows.firstIndex(where: { $0.peer == peerID }) else { return }
            state.rows[index].isNearby = false
            if case .connected = state.rows[index].status { return }
            state.rows.remove(at: index)
        }
    }

    func browser(_ browser: MCNearbyServiceBrowser, didNotStartBrowsingForPeers error: any Error) {
        ProcessTerminal.warn("nobody nearby can be looked for: \(SafeText.escape(error.localizedDescription))")
    }

    private func note(_ peer: MCPeerID, _ new: MCSessionState, _ reason: MCDisconnectReason?) {
        change { state in
            let index = state.rows.firstIndex { $0.peer == peer }
            switch new {
            case .connecting: if let index { state.rows[index].status = .invited }
            case .connected:
                if let index {
                    state.rows[index].status = .connected
                } else {
                    Self.add(peer, [:], .connected, isNearby: false, &state)
                }
            case .notConnected:
                guard let index else { return }
                if state.rows[index].isNearby {
                    state.rows[index].status = .notConnected(reason?.description ?? "not connected")
                } else {
                    state.rows.remove(at: index)
                }
            }
        }
    }

    // MARK: What is shown

    private static func add(
        _ peer: MCPeerID, _ info: [String: String], _ status: Status, isNearby: Bool, _ state: inout State
    ) {
        state.lastNumber += 1
        state.rows.append(
            Row(number: state.lastNumber, peer: peer, info: info, status: status, isNearby: isNearby))
    }

    @discardableResult
    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        state.withLock { state in
            let result = body(&state)
            state.items?.yield(items(state))
            return result
        }
    }

    private func items(_ state: State) -> [PickerItem<Choice>] {
        var items = state.rows.map { row in
            PickerItem(id: Choice.peer(row.number), line: Self.line(row), words: SafeText.escape(row.peer.displayName))
        }
        if session.connectedPeers.count + 1 >= state.least() {
            items.append(PickerItem(id: .done, line: StyledLine("Done", .green), words: "done"))
        }
        return items
    }

    private static func line(_ row: Row) -> StyledLine {
        var line = StyledLine(SafeText.escape(row.peer.displayName), columns: 24)
        line.add(row.peer.tag.description, columns: 16, .dim)
        switch row.status {
        case .nearby: break
        case .invited: line.add("invited…  ", .yellow)
        case .connected: line.add("connected  ", .green)
        case .notConnected(let why): line.add(SafeText.escape(why) + "  ", .red)
        }
        let info = row.info.sorted { $0.key < $1.key }.map { SafeText.escape("\($0.key)=\($0.value)") }
        line.add(info.joined(separator: " "))
        return line
    }
}
