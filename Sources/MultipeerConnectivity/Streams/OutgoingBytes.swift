import Dispatch
import Foundation
import Multipeer
import MultipeerCore
import Synchronization

/// What goes out over a stream, between the writer and the link. As much waits here as there is room for.
final class OutgoingBytes: Sendable {
    /// How many bytes wait here before a writer does.
    private static let room = 65_536

    private struct State {
        var bytes: [UInt8] = []
        var status = Stream.Status.notOpen
        var error: MCError?
        /// The stream, once the link has it.
        var stream: PeerStream?
        /// The link has bytes of it and will ask for more.
        var isWriting = false
        /// Threads that wait for room.
        var sleepers: [DispatchSemaphore] = []
        var events = PendingEvents()
    }

    private let state = Mutex(State())
    let schedule = StreamSchedule()

    // MARK: The app

    func open() {
        state.withLock { state in
            guard state.status == .notOpen else { return }
            state.status = .open
            state.events.isOpened = true
            state.events.hasSpace = true
        }
        schedule.signal()
    }

    /// What was written still goes out.
    func close() {
        let (sleepers, finished) = state.withLock { state in
            if state.status != .closed, state.status != .error { state.status = .closed }
            defer { state.sleepers = [] }
            return (state.sleepers, Self.takeFinished(&state))
        }
        schedule.end()
        for sleeper in sleepers { sleeper.signal() }
        Self.finish(finished)
    }

    /// Takes as many bytes as there is room for, and waits for room if there is none. Returns −1 on an error.
    func write(_ count: Int, _ bytes: (Int) -> [UInt8]) -> Int {
        guard count > 0 else { return status == .open ? 0 : -1 }
        while true {
            let sleeper = DispatchSemaphore(value: 0)
            let taken: Int? = state.withLock { state in
                guard state.status == .open else { return -1 }
                let taken = min(count, Self.room - state.bytes.count)
                guard taken > 0 else {
                    state.sleepers.append(sleeper)
                    return nil
                }
                state.bytes += bytes(taken)
                state.events.hasSpace = state.bytes.count < Self.room
                return taken
            }
            guard let taken else {
                sleeper.wait()
                continue
            }
            if taken > 0 {
                pump()
                schedule.signal()
            }
            return taken
        }
    }

    var hasSpace: Bool { state.withLock { $0.status == .open && $0.bytes.count < Self.room } }
    var status: Stream.Status { state.withLock { $0.status } }
    var error: MCError? { state.withLock { $0.error } }

    /// What is to be reported, one after the other.
    func nextEvent() -> Stream.Event? {
        state.withLock { state in
            if state.events.hasSpace, state.bytes.count >= Self.room { state.events.hasSpace = false }
            return state.status == .closed ? nil : state.events.next()
        }
    }

    // MARK: The link

    /// The link has the stream.
    func begin(_ stream: PeerStream) {
        state.withLock { $0.stream = stream }
        pump()
    }

    /// Gives the link what waits, if it has nothing of this stream.
    private func pump() {
        let (stream, bytes, finished): (PeerStream?, [UInt8], PeerStream?) = state.withLock { state in
            guard !state.isWriting, let stream = state.stream, !state.bytes.isEmpty else {
                return (nil, [], Self.takeFinished(&state))
            }
            defer { state.bytes = [] }
            state.isWriting = true
            return (stream, state.bytes, nil)
        }
        Self.finish(finished)
        stream?.write(bytes) { [self] error in wrote(error) }
    }

    private func wrote(_ error: RequestError?) {
        if let error { return fail(MCError(.notConnected, "the peer no longer reads the stream", underlying: error)) }
        let sleepers = state.withLock { state in
            state.isWriting = false
            if state.status == .open { state.events.hasSpace = true }
            defer { state.sleepers = [] }
            return state.sleepers
        }
        for sleeper in sleepers { sleeper.signal() }
        schedule.signal()
        pump()
    }

    /// The stream, if it is closed and all of it is with the link.
    private static func takeFinished(_ state: inout State) -> PeerStream? {
        guard state.status == .closed, !state.isWriting, state.bytes.isEmpty else { return nil }
        return state.stream.take()
    }

    private static func finish(_ stream: PeerStream?) {
        guard let stream else { return }
        Task { try? await stream.finish() }
    }

    /// Nothing more goes out.
    func fail(_ error: MCError) {
        let sleepers = state.withLock { state in
            (state.isWriting, state.bytes, state.stream) = (false, [], nil)
            if state.status != .closed {
                state.error = error
                state.status = .error
                state.events.hasError = true
            }
            defer { state.sleepers = [] }
            return state.sleepers
        }
        for sleeper in sleepers { sleeper.signal() }
        schedule.signal()
    }
}

extension SessionEngine {
    func startStream(named name: String, to peer: MCPeerID) throws(MCError) -> OutputStream {
        guard name.utf8.count <= 255 else {
            throw MCError(.invalidParameter, "stream: the name has more than 255 bytes of UTF-8")
        }
        let (session, targets) = try connected([peer])
        let bytes = OutgoingBytes()
        state.withLock { $0.outputs[peer, default: []].append(bytes) }
        currentGeneration().run { [weak self] in
            do throws(MultipeerError) {
                bytes.begin(try await session.openStream(named: name, to: targets[0], isOneWay: true))
            } catch {
                bytes.fail(MCError(error))
            }
            self?.forgetClosed(of: peer)
        }
        return MCOutputStream(bytes)
    }

    /// Streams that are over are not kept.
    private func forgetClosed(of peer: MCPeerID) {
        state.withLock { state in
            state.outputs[peer]?.removeAll { $0.status == .closed || $0.status == .error }
        }
    }
}
