import MultipeerCertificates
import MultipeerCrypto
import MultipeerDriver
import MultipeerTesting
import MultipeerWire
import Synchronization

@testable import MultipeerCore

/// The driver of a node, and an app that sends messages, files and streams, and takes what comes when it likes. It goes on with what it has of its
/// first link, whichever carries the association now.
final class ReconnectingSide {
    let key: IdentityKey
    let driver: NodeDriver
    private let inbox = Inbox()
    /// What the app has of its first link. It stays the same over all links.
    private(set) var events: EventQueue?
    private(set) var sends: SendQueue?
    /// What drives the link that carries the association.
    private(set) var link: LinkDriver?
    private var number: LinkNumber?
    /// What the app has heard of its peer.
    private(set) var heard: [String] = []
    /// What the app asks for as soon as a link carries the association.
    private var waiting: [(LinkDriver, Instant) -> Void] = []

    private(set) var sent: [SentMessage] = []
    private(set) var received: [[UInt8]] = []
    /// What has come of each file and each stream, and those that have come whole.
    private(set) var files: [FileID: [UInt8]] = [:]
    private(set) var streams: [StreamID: [UInt8]] = [:]
    private(set) var completed: Set<FileID> = []
    private(set) var ended: Set<StreamID> = []
    /// The files that the peer has stored.
    private(set) var delivered: Set<FileID> = []
    private(set) var failures: [String] = []

    init(_ seed: UInt64, grace: Duration, at now: Instant) throws {
        var configuration = NodeConfiguration(
            link: try Peers.configuration("Peer", seed: seed), memberTerms: SessionTerms(encryption: .optional))
        configuration.milliseconds = 1_700_000_000_000
        configuration.link.timeouts.keepAlive = KeepAliveTimes()
        configuration.grace = grace
        key = configuration.link.identity.identityKey
        var options = DriverOptions(random: SeededRandomSource(seed: 20 + seed))
        (options.offers, options.memoryPools) = (OfferLimit(), MemoryPools(messages: 8_000_000, share: 4_000_000))
        driver = NodeDriver(configuration: configuration, options: options, now: now) { [inbox] in inbox.append($0) }
        driver.setLateReceipt { [inbox] in inbox.noteLateReceipt() }
    }

    private final class Inbox: Sendable {
        private let state = Mutex((effects: [NodeEffect](), hasLateReceipts: false))
        func append(_ effect: NodeEffect) { state.withLock { $0.effects.append(effect) } }
        func noteLateReceipt() { state.withLock { $0.hasLateReceipts = true } }
        func takeAll() -> (effects: [NodeEffect], hasLateReceipts: Bool) {
            state.withLock { state in
                defer { state = ([], false) }
                return state
            }
        }
    }

    // MARK: The node

    /// The app hears what the node has said. Returns whether that was something.
    func takeEffects(at now: Instant) -> Bool {
        let (effects, hasLateReceipts) = inbox.takeAll()
        for effect in effects { react(to: effect, at: now) }
        if hasLateReceipts { driver.lateReceipts(at: now) }
        return !effects.isEmpty || hasLateReceipts
    }

    private func react(to effect: NodeEffect, at now: Instant) {
        switch effect {
        case .invited(let link, _, _):
            try? driver.perform(at: now) { (node, now) throws(NodeRequestError) in
                try node.accept(link, with: SessionTerms(encryption: .optional), at: now)
            }
        case .connected(_, let number, _, let isReplacement):
            heard.append(isReplacement ? "connected again" : "connected")
            guard !isReplacement else { break }
            use(number)
            (events, sends) = (link?.events, link?.sends)
        case .reconnecting: heard.append("reconnecting")
        case .resumed(_, by: let number): use(number)
        case .departed(_, _, let departure, _): heard.append("\(departure)")
        default: break
        }
    }

    private func use(_ number: LinkNumber) { (self.number, link) = (number, driver.driver(of: number)) }

    // MARK: The app

    /// What the app asks for waits while no link carries the association.
    private func ask(_ request: @escaping (LinkDriver, Instant) -> Void) { waiting.append(request) }

    /// Asks for what waits.
    func askForWhatWaits(at now: Instant) {
        guard let link, !link.isReconnecting else { return }
        let requests = waiting
        waiting = []
        for request in requests { request(link, now) }
    }

    func send(_ message: [UInt8]) {
        guard let message = try? sends?.enqueue(message) else { return failures.append("message refused") }
        sent.append(message)
    }

    func offerFile(of content: [UInt8]) {
        ask { [self] link, now in
            let offer = try? link.offerFile(
                name: "f", size: UInt64(content.count), from: BytesSource(content), at: now)
            if offer == nil { failures.append("offer refused") }
        }
    }

    func openStream(of content: [UInt8]) {
        ask { [self] link, now in
            guard let stream = try? link.openStream(named: "s", credit: 0, at: now) else {
                return failures.append("stream refused")
            }
            link.write(content, to: stream, at: now) { _ in }
            ask { link, now in try? link.finishStream(stream, at: now) }
        }
    }

    /// What the link wants of a file that has no source, as long as the app has not taken it.
    func takeWanted(of file: FileID) -> (offset: UInt64, maximum: Int)? {
        var wanted: (UInt64, Int)?
        for case .outgoingFile(.wanted(file, let offset, let maximum)) in events?.takeAll() ?? [] {
            wanted = (offset, maximum)
        }
        return wanted
    }

    func supply(
        _ content: [UInt8], at wanted: (offset: UInt64, maximum: Int), to file: FileID, now: Instant
    ) throws(RequestError) {
        let chunk = Array(content[Int(wanted.offset)...].prefix(wanted.maximum))
        try link?.perform(at: now) { (link, now) throws(RequestError) in
            try link.supply(chunk, to: file, from: wanted.offset, at: now)
        }
    }

    /// Takes events of a link that is not open, which has nothing else to say but that the peer is to be verified.
    func verify(_ driver: LinkDriver, _ number: LinkNumber, at now: Instant) {
        guard driver.stage == .certificates else { return }
        for case .verify(let token, _) in driver.events.takeAll() {
            try? self.driver.perform(at: now) { (node, now) throws(NodeRequestError) in
                try node.submitVerdict(.accepted(.unverified), for: token, on: number, at: now)
            }
        }
    }

    /// Takes what has come.
    func takeEvents() {
        for event in events?.takeAll() ?? [] {
            switch event {
            case .message(let message): received.append(message)
            case .incomingFile(.offered(let offer)): accept(offer.file)
            case .incomingFile(.ended(let file, let reason, _)): failures.append("file \(file) \(reason)")
            case .outgoingFile(.delivered(let file, _)): delivered.insert(file)
            case .outgoingFile(.ended(let file, let reason, _)): failures.append("own file \(file) \(reason)")
            case .stream(.opened(let stream, _)): streams[stream] = []
            default: break
            }
        }
        takeParts()
    }

    private func accept(_ file: FileID) {
        files[file] = []
        ask { [self] link, now in
            link.events.separate(file)
            let request: ()? = try? link.perform(at: now) { (link, now) throws(RequestError) in
                try link.acceptFile(file, at: now)
            }
            if request == nil { failures.append("file \(file) is not there") }
        }
    }

    private func takeParts() {
        for stream in streams.keys {
            for part in events?.takeParts(of: stream) ?? [] {
                switch part {
                case .bytes(let bytes): streams[stream]?.append(contentsOf: bytes)
                case .ended(.complete): ended.insert(stream)
                case .ended(let ending): failures.append("stream \(ending)")
                }
            }
        }
        for file in files.keys {
            for part in events?.takeParts(of: file) ?? [] {
                switch part {
                case .bytes(let bytes): files[file]?.append(contentsOf: bytes)
                case .complete:
                    completed.insert(file)
                    ask { link, now in
                        _ = try? link.perform(at: now) { (link, now) throws(RequestError) in
                            try link.confirmFile(file, at: now)
                        }
                    }
                case .ended(let reason, _): failures.append("file part \(reason)")
                }
            }
        }
    }
}

/// Bytes in memory.
private struct BytesSource: FileSource {
    private let content: [UInt8]

    init(_ content: [UInt8]) { self.content = content }

    func next(from offset: UInt64, atMost maximum: Int, whenReady: @escaping @Sendable () -> Void) -> FileSourceStep {
        .chunk(Array(content[Int(offset)...].prefix(maximum)))
    }

    func stop() {}
}
