import Multipeer
import MultipeerClock
import MultipeerTerminal

/// The question whether a peer may come.
struct InvitationQuestion: Sendable {
    /// How long a question stays. By then the peer has long given up, unless it wants to wait for longer than usual (30
    /// s).
    private static let patience: Duration = .seconds(120)

    /// The name of the peer that it is about, safe to print.
    private let name: String
    private let key: String?
    private let clock: any SteadyClock

    init(from peer: MCPeerID, clock: any SteadyClock) {
        self.clock = clock
        name = Self.name(of: peer)
        key = peer.publicKeyDescription
    }

    /// A name that is safe to print, and for which a line has room.
    static func name(of peer: MCPeerID) -> String {
        let name = SafeText.escape(peer.displayName)
        return name.count > 32 ? "\(name.prefix(32))…" : name
    }

    /// Waits for the terminal, asks, and returns whether the answer was yes. It is no at the end of the input, after a while, and if the
    /// task is cancelled.
    func ask(presenting: () async -> Void) async -> Bool {
        guard await ProcessTerminal.turn.begin() else { return false }
        await presenting()
        let line = await read()
        await ProcessTerminal.turn.end()
        return ["y", "yes"].contains(line?.lowercased())
    }

    private func read() async -> String? {
        let screen = ProcessTerminal.screen
        screen.printNote { palette in
            palette.bold(name) + " invites you" + (key.map { "\n  peer ID \($0)" } ?? "")
        }
        return await withTaskGroup(of: String?.self) { group in
            group.addTask { await LineInput(on: screen).line("Connect with \(name)? [y/N] ") }
            group.addTask {
                try? await clock.sleep(for: Self.patience, tolerance: nil)
                return nil
            }
            let line = await group.next() ?? nil
            group.cancelAll()
            return line
        }
    }
}
