import MultipeerCore
import Synchronization

/// What happens to the files that the local peer sends, in order and for each file apart.
final class OutgoingNews: Sendable {
    private struct Route {
        var events: [OutgoingFileEvent] = []
        var waiter: CheckedContinuation<OutgoingFileEvent?, Never>?
        /// Whether somebody follows the file. An event can come before its file's number is known.
        var isFollowed = false
    }

    private struct State {
        var routes: [FileID: Route] = [:]
        /// How many files are being offered whose number is not known yet.
        var offering = 0
        var isFinished = false
    }

    private let state = Mutex(State())

    /// A file is about to be offered. From now on the events of unknown files are kept.
    func beginOffer() { state.withLock { $0.offering += 1 } }

    /// A file has been offered under a number, or could not be.
    func endOffer(_ file: FileID?) {
        state.withLock { state in
            state.offering -= 1
            if let file { state.routes[file, default: Route()].isFollowed = true }
            // What is left belongs to files that the app sends by itself.
            if state.offering == 0 { state.routes = state.routes.filter(\.value.isFollowed) }
        }
    }

    /// Nobody follows a file any more.
    func forget(_ file: FileID) { state.withLock { _ = $0.routes.removeValue(forKey: file) } }

    func report(_ event: OutgoingFileEvent) {
        let waiter: CheckedContinuation<OutgoingFileEvent?, Never>? = state.withLock { state in
            guard state.offering > 0 || state.routes[event.file] != nil else { return nil }
            var route = state.routes[event.file] ?? Route()
            defer { state.routes[event.file] = route }
            guard let waiter = route.waiter else {
                route.events.append(event)
                return nil
            }
            route.waiter = nil
            return waiter
        }
        waiter?.resume(returning: event)
    }

    /// Nothing more happens.
    func finish() {
        let waiters = state.withLock { state in
            state.isFinished = true
            let waiters = state.routes.values.compactMap(\.waiter)
            for file in state.routes.keys { state.routes[file]?.waiter = nil }
            return waiters
        }
        for waiter in waiters { waiter.resume(returning: nil) }
    }

    /// Waits for the next event of a file that is followed; nil when nothing more happens. A task that is cancelled waits all the
    /// same: the end of its file is an event too.
    func next(of file: FileID) async -> OutgoingFileEvent? {
        await withCheckedContinuation { waiter in
            let (event, mustWait): (OutgoingFileEvent?, Bool) = state.withLock { state in
                guard var route = state.routes[file] else { return (nil, false) }
                defer { state.routes[file] = route }
                if !route.events.isEmpty { return (route.events.removeFirst(), false) }
                guard !state.isFinished else { return (nil, false) }
                route.waiter = waiter
                return (nil, true)
            }
            if !mustWait { waiter.resume(returning: event) }
        }
    }
}

extension OutgoingFileEvent {
    /// The file that it is about.
    fileprivate var file: FileID {
        switch self {
        case .accepted(let id), .wanted(let id, _, _), .beginningWanted(let id, _), .delivered(let id, _),
            .renamed(let id, _), .kept(let id), .ended(let id, _, _):
            id
        }
    }
}
