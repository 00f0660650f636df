import MultipeerCore
import MultipeerDriver
import MultipeerWire
import Synchronization

/// One run of a program on a simulated host: a node's driver as programs have it, and the transports of its links.
final class SimulatedProgram {
    let driver: NodeDriver
    /// What the driver has reported, and has not been looked at.
    let inbox = Inbox()
    /// The links whose transports are open.
    var transports: [LinkNumber: SimulatedTransport] = [:]
    /// The drivers of all links that there have been.
    private(set) var drivers: [LinkNumber: LinkDriver] = [:]
    /// Hosts are programs of their own, so they do not share what is shared in a process by default.
    let memoryPools = MemoryPools(messages: 67_108_864)
    /// When the node's timer goes off.
    var timer: Instant?
    /// How often timers have gone off at one moment.
    var timersNow = 0

    init(_ configuration: NodeConfiguration, random: SeededRandomSource, now: Instant) {
        var options = DriverOptions(random: random)
        options.memoryPools = memoryPools
        options.offers = OfferLimit()
        driver = NodeDriver(configuration: configuration, options: options, now: now) { [inbox] effect in
            inbox.append(.node(effect))
        }
        driver.setLateReceipt { [inbox] in inbox.noteLateReceipts() }
    }

    /// A link has got a transport.
    func open(_ driver: LinkDriver, _ number: LinkNumber, over connection: SimulatedConnection, side: Int) {
        transports[number] = SimulatedTransport(driver, number, connection, side: side)
        drivers[number] = driver
        driver.setWake { [inbox] in inbox.wake(number) }
        driver.events.forward { [inbox] in inbox.append(.link(number, $0)) }
        driver.transportOpened()
    }
}

/// One end of a connection, as an adapter to sockets would have it.
final class SimulatedTransport {
    let driver: LinkDriver
    let number: LinkNumber
    let connection: SimulatedConnection
    let side: Int
    /// When its timer goes off.
    var timer: Instant?
    /// Whether its next turn is planned.
    var hasTurn = false
    /// Whether it is being drained.
    var isDraining = false

    init(_ driver: LinkDriver, _ number: LinkNumber, _ connection: SimulatedConnection, side: Int) {
        self.driver = driver
        self.number = number
        self.connection = connection
        self.side = side
    }

    /// The local end of the connection.
    var end: SimulatedConnection.End {
        get { connection.ends[side] }
        set { connection.ends[side] = newValue }
    }
}

extension SimulatedProgram {
    /// What a driver reports, of the node and of its links in one order.
    enum Event: Sendable {
        case node(NodeEffect)
        case link(LinkNumber, ReceiptedEvent)
    }

    /// What comes from queues, which programs use from any thread.
    final class Inbox: Sendable {
        private struct State {
            var events: [Event] = []
            /// In the order in which they were woken.
            var woken: [LinkNumber] = []
            var hasLateReceipts = false
        }

        private let state = Mutex(State())

        func append(_ event: Event) { state.withLock { $0.events.append(event) } }

        func wake(_ link: LinkNumber) {
            state.withLock { if !$0.woken.contains(link) { $0.woken.append(link) } }
        }

        func noteLateReceipts() { state.withLock { $0.hasLateReceipts = true } }

        func takeEvents() -> [Event] {
            state.withLock { state in
                defer { state.events = [] }
                return state.events
            }
        }

        func takeWoken() -> [LinkNumber] {
            state.withLock { state in
                defer { state.woken = [] }
                return state.woken
            }
        }

        func takeLateReceipts() -> Bool {
            state.withLock { state in
                defer { state.hasLateReceipts = false }
                return state.hasLateReceipts
            }
        }
    }
}
