import Multipeer
import MultipeerCore
import MultipeerTransfers
import Synchronization

/// How long messages of 100 bytes take from the sender's call to the receiver's app, while one is sent every ten milliseconds: as those of
/// a game that says where its players are.
public final class MessageDelays: Sendable {
    /// How they go.
    public enum Way: Sendable {
        /// In order, and none is lost.
        case link
        /// As datagrams, which may be lost.
        case datagrams
    }

    private static let length = 100
    private static let pause: Duration = .milliseconds(10)
    /// How long the last of them may take.
    private static let patience: Duration = .seconds(3)

    private let pair: SessionPair
    private let arrivals = Arrivals()

    /// Opens a session, and a path for datagrams where UDP passes.
    public init() throws {
        pair = try SessionPair()
        let events = pair.receiver.events
        Task { [arrivals] in
            for await event in events {
                guard case .message(let message, _) = event else { continue }
                let number = message.bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
                let now = SystemClock.monotonic()
                arrivals.all.withLock { $0[number] = $0[number] ?? now }
            }
        }
        // The first ask for a path, and are not counted.
        _ = try measure(.datagrams, 50)
    }

    /// The delays of `count` messages in nanoseconds, of those that have come.
    public func measure(_ way: Way, _ count: Int) throws -> [Double] {
        try blocking { [self] in
            arrivals.all.withLock { $0 = [:] }
            var departures: [Instant] = []
            for number in 0..<count {
                departures.append(SystemClock.monotonic())
                try send(number, way)
                try await Task.sleep(for: Self.pause)
            }
            let end = ContinuousClock.now.advanced(by: Self.patience)
            while arrivals.all.withLock({ $0.count }) < count, ContinuousClock.now < end {
                try await Task.sleep(for: Self.pause)
            }
            return arrivals.all.withLock { arrivals in
                arrivals.map { number, came in Double(came.nanoseconds - departures[number].nanoseconds) }
            }
        }
    }

    private func send(_ number: Int, _ way: Way) throws {
        var message = [UInt8](repeating: 0, count: Self.length)
        for index in 0..<4 { message[index] = UInt8(truncatingIfNeeded: number >> (24 - 8 * index)) }
        let receiver = pair.receiver.peer.id
        switch way {
        case .link: try pair.sender.enqueue(message, to: receiver)
        case .datagrams: try pair.sender.trySend(unreliable: message, to: receiver)
        }
    }
}

/// When each message has come first.
private final class Arrivals: Sendable {
    let all = Mutex<[Int: Instant]>([:])
}
