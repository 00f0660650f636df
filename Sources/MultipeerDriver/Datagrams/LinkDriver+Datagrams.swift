package import MultipeerCore
import MultipeerCrypto

/// A link's path for datagrams, and what it is made of.
struct DatagramEnd {
    /// Whether the adapter has a UDP socket for the link.
    enum Socket {
        case none, asked, open, refused
    }

    let random: any RandomSource & Sendable
    let budget: DatagramBudget
    var socket = Socket.none
    var path: DatagramPath?
    /// Messages for which the path had no room, and since when.
    var waiting: [(message: [UInt8], since: Instant)] = []
    /// Whether the app wants a path, and the link has not said so.
    var isWanted = false
    var deadline: Instant?

    /// How many messages may wait for room, and for how long (R26.6-1): a short burst goes, and nothing late does.
    static let mostWaiting = 64
    static let patience: Duration = .milliseconds(50)

    init(random: any RandomSource & Sendable, budget: DatagramBudget) { (self.random, self.budget) = (random, budget) }

    /// When to look for room again: a report makes some, and a pause does (R26.7-3).
    func due(at now: Instant) -> Instant? {
        let pathDue = path?.deadline(at: now)
        return waiting.isEmpty ? pathDue : Instant.earlier(pathDue, now.advanced(by: DatagramPath.leastPause))
    }

    /// Sends what has room.
    mutating func send(_ messages: [[UInt8]], at now: Instant) {
        for message in messages { waiting.append((message, now)) }
        waiting.removeAll { now > $0.since.advanced(by: Self.patience) }
        var count = 0
        // Where the path holds no more, the message is lost, as any datagram may be.
        while count < waiting.count, path?.send(waiting[count].message, at: now) != .dropped { count += 1 }
        waiting.removeFirst(count)
    }

    /// What the path takes of tasks now; nil where none holds.
    func room(at now: Instant) -> DatagramQueue.Room? {
        guard let path, let count = path.room(at: now) else { return nil }
        return DatagramQueue.Room(longest: path.longestMessage, count: count + Self.mostWaiting - waiting.count)
    }
}

/// Datagrams beside the link (SPEC §26). An adapter with sockets looks at ``wantsDatagramPort`` after each drain, opens a UDP socket at the
/// local address of the link's transport, and then passes packets to and fro.
extension LinkDriver {
    /// Whether the adapter should open a UDP socket, each time once. Answer by ``openedDatagrams(at:now:)`` or ``refusedDatagrams()``.
    package var wantsDatagramPort: Bool {
        datagramEnd.socket == .none && (datagramEnd.isWanted && link.takesDatagrams || link.wantsDatagramPort)
    }

    /// The adapter is about to open a UDP socket.
    package func askedForDatagrams() { datagramEnd.socket = .asked }

    /// The adapter has a UDP socket at this port. Drain the driver after this.
    package func openedDatagrams(at port: UInt16, now: Instant) {
        guard datagramEnd.socket == .asked else { return }
        datagramEnd.socket = .open
        link.takeDatagrams(at: port, now: now)
        deliverEvents(at: now)
    }

    /// There is no socket for this link, so messages go over the link.
    package func refusedDatagrams() {
        datagramEnd.socket = .refused
        closeDatagrams()
    }

    /// The tag of the packets that come (SPEC §26.3); nil while there is no path.
    package var datagramTag: UInt64? { datagramEnd.path?.tag }

    /// A packet has come from a port of the peer's host. Drain the driver after this.
    package func receiveDatagram(_ packet: Span<UInt8>, from port: UInt16, at now: Instant) {
        datagramEnd.path?.receive(packet, from: port, at: now)
    }

    /// The next packet that goes to the peer's host, and its port there.
    package func nextDatagram() -> (port: UInt16, bytes: [UInt8])? { datagramEnd.path?.nextPacket() }

    // MARK: The path

    /// Both peers take datagrams.
    func beginPath(at now: Instant) {
        guard datagramEnd.path == nil, datagramEnd.socket == .open else { return }
        // A failure of the cryptographic library leaves no path, and the link as it is.
        datagramEnd.path =
            (try? link.makeDatagramPath(random: datagramEnd.random, budget: datagramEnd.budget, at: now)) ?? nil
    }

    /// Passes to the path what tasks have sent, and to the app what has come. This is done at each turn.
    func carryDatagrams(at now: Instant) {
        let taken = datagrams.take()
        if taken?.isWanted == true { datagramEnd.isWanted = true }
        if datagramEnd.isWanted, datagramEnd.socket == .open, link.useDatagrams(at: now) {
            datagramEnd.isWanted = false
            deliverEvents(at: now)
        }
        guard datagramEnd.path != nil else { return }
        guard link.stage == .open || link.stage == .draining else { return closeDatagrams() }
        datagramEnd.send(taken?.messages ?? [], at: now)
        while let message = datagramEnd.path?.nextMessage() { events.push(.datagram(message)) }
        datagramEnd.deadline = datagramEnd.due(at: now)
        datagrams.note(datagramEnd.room(at: now))
    }

    /// The link ends, or has no path any more (R26.4-5).
    func closeDatagrams() {
        guard datagramEnd.path != nil else { return }
        datagramEnd.path?.close()
        (datagramEnd.path, datagramEnd.deadline, datagramEnd.waiting) = (nil, nil, [])
        datagrams.note(nil)
    }
}
