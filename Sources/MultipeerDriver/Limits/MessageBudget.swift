import MultipeerCrypto
import Synchronization

/// The memory that unfinished messages of peers may take: in all links that share the budget, and in those of one peer.
///
/// A message counts as the memory that its part takes, not as what the peer announces. A message that exceeds what one peer
/// may hold ends its link. When all of the memory is taken, the message that began first gives up its part, and its link ends:
/// a peer that begins messages and does not finish them is therefore the first to go.
///
/// No link can receive a longer message than a limit allows, whatever its `LinkConfiguration.maximumMessage` says.
public final class MessageBudget: Sendable {
    /// The budget of links whose options name no other: 256 MiB in all, and 32 MiB for each peer.
    public static let process = MessageBudget(bytes: 268_435_456, bytesPerPeer: 33_554_432)

    /// The number of an unfinished message, in the order of their beginnings.
    typealias Ticket = UInt64

    private struct Holding {
        let peer: IdentityKey
        var bytes: Int
        let onRevoke: @Sendable () -> Void
    }

    private struct State {
        var holdings: [Ticket: Holding] = [:]
        var revoked: Set<Ticket> = []
        var bytes = 0
        var bytesOfPeer: [IdentityKey: Int] = [:]
        var lastTicket: Ticket = 0
    }

    private let limit: Int
    private let limitPerPeer: Int
    private let state = Mutex(State())

    /// Creates a budget of so many bytes.
    public init(bytes: Int, bytesPerPeer: Int) {
        limit = bytes
        limitPerPeer = bytesPerPeer
    }

    /// The number of bytes that unfinished messages take.
    public var bytesInUse: Int { state.withLock { $0.bytes } }

    /// Begins to count an unfinished message. `onRevoke` is called, from any thread, when the message must give up its memory.
    func begin(of peer: IdentityKey, onRevoke: @escaping @Sendable () -> Void) -> Ticket {
        state.withLock { state in
            state.lastTicket += 1
            state.holdings[state.lastTicket] = Holding(peer: peer, bytes: 0, onRevoke: onRevoke)
            return state.lastTicket
        }
    }

    /// Records how much memory the message takes now. Returns false if it must give it up.
    func hold(_ bytes: Int, as ticket: Ticket) -> Bool {
        let (isGranted, revocations): (Bool, [@Sendable () -> Void]) = state.withLock { state in
            guard let peer = state.holdings[ticket]?.peer else { return (false, []) }
            Self.setBytes(bytes, of: ticket, in: &state)
            guard state.bytesOfPeer[peer, default: 0] <= limitPerPeer else {
                Self.remove(ticket, from: &state)
                return (false, [])
            }
            var revocations: [@Sendable () -> Void] = []
            while state.bytes > limit, let oldest = state.holdings.keys.min() {
                if let holding = Self.remove(oldest, from: &state), oldest != ticket {
                    state.revoked.insert(oldest)
                    revocations.append(holding.onRevoke)
                }
            }
            return (state.holdings[ticket] != nil, revocations)
        }
        for revoke in revocations { revoke() }
        return isGranted
    }

    /// Whether the message must give up its memory.
    func isRevoked(_ ticket: Ticket) -> Bool {
        state.withLock { $0.revoked.contains(ticket) }
    }

    /// The message is complete, or its link is over.
    func end(_ ticket: Ticket) {
        state.withLock { state in
            Self.remove(ticket, from: &state)
            state.revoked.remove(ticket)
        }
    }

    private static func setBytes(_ bytes: Int, of ticket: Ticket, in state: inout State) {
        guard let holding = state.holdings[ticket] else { return }
        let change = bytes - holding.bytes
        state.holdings[ticket]?.bytes = bytes
        state.bytes += change
        let ofPeer = state.bytesOfPeer[holding.peer, default: 0] + change
        state.bytesOfPeer[holding.peer] = ofPeer > 0 ? ofPeer : nil
    }

    @discardableResult
    private static func remove(_ ticket: Ticket, from state: inout State) -> Holding? {
        setBytes(0, of: ticket, in: &state)
        return state.holdings.removeValue(forKey: ticket)
    }
}
