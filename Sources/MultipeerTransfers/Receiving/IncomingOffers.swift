import MultipeerCore
import MultipeerWire
import Synchronization

/// The offers of the peer that nobody has answered yet. One of them can end before it is answered.
final class IncomingOffers: Sendable {
    /// How an offer ended.
    struct Ending: Sendable {
        let reason: FileCancel.Reason
        let byPeer: Bool
    }

    private struct Offer {
        var ending: Ending?
        var waiter: CheckedContinuation<Void, Never>?
    }

    private struct State {
        var offers: [FileID: Offer] = [:]
        var isFinished = false
    }

    private let state = Mutex(State())

    /// The peer offers a file.
    func add(_ file: FileID) { state.withLock { $0.offers[file] = $0.offers[file] ?? Offer() } }

    /// The file has been answered.
    func forget(_ file: FileID) { state.withLock { $0.offers.removeValue(forKey: file) }?.waiter?.resume() }

    /// An offer has ended. Files that have been answered are none of this object's.
    func end(_ file: FileID, _ ending: Ending) {
        state.withLock { state in
            state.offers[file]?.ending = ending
            return state.offers[file]?.waiter.take()
        }?.resume()
    }

    /// Nothing more happens.
    func finish() {
        let waiters = state.withLock { state in
            state.isFinished = true
            let waiters = state.offers.values.compactMap(\.waiter)
            for file in state.offers.keys { state.offers[file]?.waiter = nil }
            return waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// How an offer has ended, if it has.
    func ending(of file: FileID) -> Ending? { state.withLock { $0.offers[file]?.ending } }

    /// Waits for the end of an offer of which the link says that it is over. Nil if the link is, or the task is cancelled.
    func waitForEnding(of file: FileID) async -> Ending? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let mustWait = state.withLock { state in
                    guard !state.isFinished, !Task.isCancelled, let offer = state.offers[file], offer.ending == nil
                    else { return false }
                    state.offers[file]?.waiter = waiter
                    return true
                }
                if !mustWait { waiter.resume() }
            }
        } onCancel: {
            state.withLock { $0.offers[file]?.waiter.take() }?.resume()
        }
        return ending(of: file)
    }
}
