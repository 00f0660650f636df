public import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import MultipeerWire

/// Many nodes in one process, each with the driver that programs have (`NodeDriver`), on virtual time, over a network with
/// latency, bounded buffers, slow readers, lost links, parts that do not reach each other, and programs that crash. One seed
/// gives one run.
public final class Simulator {
    /// How the network is.
    public struct Options: Sendable {
        /// How long bytes take, in milliseconds. Each connection has its own.
        public var latency: ClosedRange<Int> = 1...40
        /// How many bytes are on their way in one direction at most.
        public var window = 262_144
        /// How many bytes arrive in a second; nil: as many as come.
        public var bytesPerSecond: Int?

        /// A quick network.
        public init() {}
    }

    enum Event {
        case bytes(SimulatedConnection, to: Int, [UInt8])
        case end(SimulatedConnection, of: Int)
        case connect(SimulatedHost, run: Int, DialNumber, MemberAddress)
        case refused(SimulatedHost, run: Int, DialNumber)
        case timer(SimulatedHost, run: Int)
        case linkTimer(SimulatedHost, run: Int, LinkNumber)
        case turn(SimulatedHost, run: Int, LinkNumber)
    }

    /// What the run is made of.
    public let seed: UInt64
    public let options: Options
    /// The virtual time.
    public private(set) var now = Instant(nanoseconds: 1_000_000_000)
    /// All hosts, in the order in which they were added.
    public private(set) var hosts: [SimulatedHost] = []
    /// Randomness for a test that plays with the network, so that one seed gives all of it.
    public var dice: SeededRandomSource
    /// What went wrong in the simulation itself: nodes that do not get on, requests that were misused.
    public internal(set) var faults: [String] = []
    /// How many bytes have been sent, and in how many pieces.
    public internal(set) var sentBytes: UInt64 = 0
    public internal(set) var sentPieces: UInt64 = 0
    /// Told of each record that passes, if the configuration of a host asks for it (`LinkConfiguration.tracesRecords`).
    public var onTrace: ((SimulatedHost, TraceEntry) -> Void)?
    var events = EventHeap<Event>()
    var connections: [SimulatedConnection] = []

    /// Begins a network without hosts.
    public init(seed: UInt64, options: Options = Options()) {
        self.seed = seed
        self.options = options
        dice = SeededRandomSource(seed: seed)
    }

    // MARK: Hosts

    /// Adds a host, whose entry names its address if `listens`.
    @discardableResult
    public func add(_ name: String, _ configuration: NodeConfiguration, listens: Bool = true) -> SimulatedHost {
        var configuration = configuration
        configuration.addresses = listens ? [SimulatedHost.address(of: hosts.count)] : []
        configuration.milliseconds = wallTime
        let host = SimulatedHost(
            id: hosts.count, name: name, configuration: configuration, random: freshRandom(), now: now)
        host.isReachable = listens
        hosts.append(host)
        return host
    }

    private func freshRandom() -> SeededRandomSource { SeededRandomSource(seed: dice.next()) }

    /// What clocks show, in milliseconds since 1970.
    public var wallTime: UInt64 { 1_700_000_000_000 + now.nanoseconds / 1_000_000 }

    /// The program of a host dies. With `says`, the others notice at once; otherwise the machine is gone without a word.
    public func crash(_ host: SimulatedHost, noticed: Bool = true) {
        host.isUp = false
        for connection in connections where connection.ends.contains(where: { $0.host === host }) {
            noticed ? cut(connection) : silence(connection)
        }
    }

    /// The program of a host begins anew, with what it has kept of a session, or without. A host whose clock has gone back
    /// begins at `wall`.
    public func restart(_ host: SimulatedHost, with memory: SessionMemory? = nil, wall: UInt64? = nil) {
        host.run += 1
        host.isUp = true
        // Numbers of links begin anew, and what waited is lost.
        (host.app.peers, host.app.untaken, host.app.calls) = ([:], [], [:])
        host.app.events.append(.restarted)
        (host.app.shown, host.app.lost) = ([:], [:])
        host.configuration.milliseconds = wall ?? wallTime
        host.program = SimulatedProgram(host.configuration, random: freshRandom(), now: now)
        if let memory {
            attempt("join", on: host) { (node) throws(NodeRequestError) in _ = try node.join(memory, at: now) }
        }
        pump(host)
    }

    // MARK: Time

    /// Lets time pass.
    public func run(for duration: Duration) {
        let end = now.advanced(by: duration)
        while let next = events.nextTime, next <= end, let (at, event) = events.removeFirst() {
            if at > now {
                now = at
                for host in hosts { host.program.timersNow = 0 }
            }
            handle(event)
        }
        now = end
    }

    /// Lets time pass in steps until `condition` holds, for `limit` at most. Returns whether it does.
    public func run(until limit: Duration, step: Duration = .milliseconds(100), _ condition: () -> Bool) -> Bool {
        let end = now.advanced(by: limit)
        while !condition() {
            guard now < end else { return false }
            run(for: step)
        }
        return true
    }

    private func handle(_ event: Event) {
        switch event {
        case .bytes(let connection, let side, let bytes): deliver(bytes, to: side, of: connection)
        case .end(let connection, let side): deliverEnd(to: side, of: connection)
        case .connect(let host, let run, let dial, let address):
            if host.isUp, host.run == run { connect(host, dial, to: address) }
        case .refused(let host, let run, let dial):
            guard host.isUp, host.run == run else { return }
            host.program.driver.failed(dial, at: now)
            pump(host)
        case .timer(let host, let run): if host.isUp, host.run == run { timeout(host) }
        case .linkTimer(let host, let run, let link): if host.isUp, host.run == run { timeout(link, of: host) }
        case .turn(let host, let run, let link): if host.isUp, host.run == run { takeTurn(link, of: host) }
        }
    }

    // MARK: Requests

    /// Makes a request that must not fail.
    func attempt(
        _ what: String, on host: SimulatedHost, _ body: (inout Node) throws(NodeRequestError) -> Void
    ) {
        do throws(NodeRequestError) {
            try request(of: host, body)
        } catch {
            faults.append("\(what): \(error)")
        }
    }

    /// Gives an answer that must not fail, unless the link was over before its app could give it.
    func answer(
        _ what: String, on link: LinkNumber, of host: SimulatedHost,
        _ body: (inout Node) throws(NodeRequestError) -> Void
    ) {
        do throws(NodeRequestError) {
            try request(of: host, body)
        } catch {
            switch host.node.stage(of: link) {
            case .draining, .closing, .closed: break
            case .hello, .proof, .info, .identified, .pairing, .resuming, .inviting, .invited, .certificates,
                .open:
                faults.append("\(what): \(error)")
            }
        }
    }
}
