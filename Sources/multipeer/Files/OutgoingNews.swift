import MultipeerCore
import Synchronization

/// What happens to the files that this side sends, in order and for each file apart.
final class OutgoingNews: Sendable {
    enum Item: Sendable {
        case event(OutgoingFileEvent)
        /// Nothing more happens.
        case linkEnded(LinkEnd)
    }

    private struct Route {
        let stream: AsyncStream<Item>
        let feed: AsyncStream<Item>.Continuation

        init() { (stream, feed) = AsyncStream.makeStream(of: Item.self) }
    }

    private struct State {
        var routes: [FileID: Route] = [:]
        var end: LinkEnd?
        var isFinished = false
    }

    private let state = Mutex(State())
    /// Ends with the link, for those who could not even offer a file.
    private let end = Route()

    /// The news of one file. What came before anybody asked is in it.
    func stream(of file: FileID) -> AsyncStream<Item> {
        state.withLock { state in Self.route(of: file, in: &state).stream }
    }

    /// Nobody asks for a file any more.
    func forget(_ file: FileID) { state.withLock { _ = $0.routes.removeValue(forKey: file) } }

    func report(_ event: OutgoingFileEvent) {
        let file: FileID
        switch event {
        case .accepted(let id), .wanted(let id, _, _), .beginningWanted(let id, _), .delivered(let id, _),
            .ended(let id, _, _):
            file = id
        }
        _ = state.withLock { state in Self.route(of: file, in: &state).feed.yield(.event(event)) }
    }

    func report(_ linkEnd: LinkEnd) {
        state.withLock { state in
            state.end = linkEnd
            for route in state.routes.values { route.feed.yield(.linkEnded(linkEnd)) }
        }
        end.feed.yield(.linkEnded(linkEnd))
        finish()
    }

    /// The session is over.
    func finish() {
        state.withLock { state in
            state.isFinished = true
            for route in state.routes.values { route.feed.finish() }
        }
        end.feed.finish()
    }

    /// Waits for the end of the link; nil if the task is cancelled.
    func linkEnd() async -> LinkEnd? {
        if let end = state.withLock(\.end) { return end }
        for await item in end.stream {
            if case .linkEnded(let end) = item { return end }
        }
        return state.withLock(\.end)
    }

    private static func route(of file: FileID, in state: inout State) -> Route {
        if let route = state.routes[file] { return route }
        let route = Route()
        state.routes[file] = route
        if let end = state.end { route.feed.yield(.linkEnded(end)) }
        if state.isFinished { route.feed.finish() }
        return route
    }
}
