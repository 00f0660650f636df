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

    /// By number.
    private typealias Waiters = [Int: CheckedContinuation<Void, Never>]

    private struct Offer {
        var ending: Ending?
        var waiters: Waiters = [:]

        mutating func takeWaiters() -> Waiters {
            defer { waiters = [:] }
            return waiters
        }
    }

    private struct State {
        var offers: [FileID: Offer] = [:]
        var lastWaiter = 0
        var isFinished = false
    }

    private let state = Mutex(State())

    /// The peer offers a file.
    func add(_ file: FileID) { state.withLock { $0.offers[file] = $0.offers[file] ?? Offer() } }

    /// The file has been answered.
    func forget(_ file: FileID) { Self.resume(state.withLock { $0.offers.removeValue(forKey: file) }?.waiters) }

    /// An offer has ended. Files that have been answered are none of this object's.
    func end(_ file: FileID, _ ending: Ending) {
        let waiters = state.withLock { state in
            guard var offer = state.offers[file] else { return Waiters?.none }
            defer { state.offers[file] = offer }
            offer.ending = ending
            return offer.takeWaiters()
        }
        Self.resume(waiters)
    }

    /// Nothing more happens.
    func finish() {
        let waiters = state.withLock { state in
            state.isFinished = true
            return state.offers.keys.compactMap { state.offers[$0]?.takeWaiters() }
        }
        for waiters in waiters { Self.resume(waiters) }
    }

    /// How an offer has ended, if it has.
    func ending(of file: FileID) -> Ending? { state.withLock { $0.offers[file]?.ending } }

    /// Waits for the end of an offer. Nil if it is answered or the link ends before, or the task is cancelled.
    func waitForEnding(of file: FileID) async -> Ending? {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let mustWait = state.withLock { state in
                    guard !state.isFinished, !Task.isCancelled, let offer = state.offers[file], offer.ending == nil
                    else { return false }
                    state.offers[file]?.waiters[number] = waiter
                    return true
                }
                if !mustWait { waiter.resume() }
            }
        } onCancel: {
            state.withLock { $0.offers[file]?.waiters.removeValue(forKey: number) }?.resume()
        }
        return ending(of: file)
    }

    func waiterCount(of file: FileID) -> Int { state.withLock { $0.offers[file]?.waiters.count ?? 0 } }

    private static func resume(_ waiters: Waiters?) {
        for waiter in (waiters ?? [:]).values { waiter.resume() }
    }
}
