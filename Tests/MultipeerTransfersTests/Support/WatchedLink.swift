import MultipeerCore
import MultipeerDriver
import MultipeerNIO
import MultipeerTransfers
import MultipeerWire
import Synchronization

/// A link that counts what comes and goes of files, and does something at a point of it.
final class WatchedLink: FileLink {
    let connection: LinkConnection
    private let state = Mutex(State())

    private struct State {
        var received = 0
        var offers = 0
        var running = 0
        var mostRunning = 0
        var refusals: [FileCancel.Reason] = []
        var trap: (at: Int, action: @Sendable () async -> Void)?
        var endTrap: (@Sendable () async -> Void)?
    }

    init(_ connection: LinkConnection) {
        self.connection = connection
    }

    /// The number of bytes of files that the app has taken.
    var received: Int { state.withLock(\.received) }
    /// The number of files that were offered.
    var offers: Int { state.withLock(\.offers) }
    /// The greatest number of files that were received at a time.
    var mostRunning: Int { state.withLock(\.mostRunning) }
    /// The reasons for which files were refused.
    var refusals: [FileCancel.Reason] { state.withLock(\.refusals) }

    /// Does something once, when `bytes` bytes have been taken.
    func trap(at bytes: Int, _ action: @escaping @Sendable () async -> Void) {
        state.withLock { $0.trap = (bytes, action) }
    }

    /// Does something before the app learns that a file has come whole.
    func trapEnd(_ action: @escaping @Sendable () async -> Void) { state.withLock { $0.endTrap = action } }

    func offerFile(_ offer: OutgoingOffer, from source: any FileSource) async throws(RequestError) -> FileID {
        state.withLock { $0.offers += 1 }
        return try await connection.offerFile(offer, from: source)
    }

    func cancelFile(_ file: FileID, reason: FileCancel.Reason) async throws(RequestError) {
        try await connection.cancelFile(file, reason: reason)
    }

    func receiveFile(_ file: FileID, holding held: HeldBeginning?) async throws(RequestError) {
        state.withLock { state in
            state.running += 1
            state.mostRunning = max(state.mostRunning, state.running)
        }
        try await connection.receiveFile(file, holding: held)
    }

    func nextPart(of file: FileID) async -> FilePart? {
        let part = await connection.nextPart(of: file)
        let action: (@Sendable () async -> Void)? = state.withLock { state in
            guard case .bytes(let bytes) = part else {
                state.running -= 1
                if case .complete = part { return state.endTrap.take() }
                return nil
            }
            state.received += bytes.count
            guard let trap = state.trap, state.received >= trap.at else { return nil }
            state.trap = nil
            return trap.action
        }
        await action?()
        return part
    }

    func refuseFile(_ file: FileID, reason: FileCancel.Reason) async throws(RequestError) {
        state.withLock { $0.refusals.append(reason) }
        try await connection.refuseFile(file, reason: reason)
    }

    func submitRefusal(of file: FileID) {
        state.withLock { $0.refusals.append(.declined) }
        connection.submitRefusal(of: file)
    }

    func confirmFile(_ file: FileID, renamed: RenamedNames?, isKept: Bool) async throws(RequestError) {
        try await connection.confirmFile(file, renamed: renamed, isKept: isKept)
    }
}
