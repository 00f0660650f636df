import MultipeerCertificates
import MultipeerCore
import MultipeerNIO
import MultipeerWire

/// What an app that accepts everything saw of a link.
struct Seen: Sendable {
    var messages: [[UInt8]] = []
    var files: [[UInt8]] = []
    var delivered = 0
    var summary: LinkSummary?
    var end: LinkEnd?

    var failure: LinkFailure? {
        if case .failed(let failure) = end { failure } else { nil }
    }
}

/// An app that accepts everything, one event at a time.
struct App: Sendable {
    let link: LinkConnection
    var file: [UInt8] = []
    var seen = Seen()
    private var fileUnderWay: [UInt8] = []

    init(_ link: LinkConnection, file: [UInt8] = []) {
        self.link = link
        self.file = file
    }

    /// The same app with a file to offer.
    func with(file: [UInt8]) -> App {
        var app = self
        app.file = file
        return app
    }

    /// Takes events until `condition` holds, or the events end.
    @discardableResult
    mutating func run(until condition: (Seen) -> Bool = { _ in false }) async throws -> Seen {
        guard !condition(seen) else { return seen }
        for await event in link.events {
            try await react(to: event)
            if condition(seen) { break }
        }
        return seen
    }

    private mutating func react(to event: LinkEvent) async throws {
        switch event {
        case .invited(let token, _): try await link.accept(token, with: Nodes.terms)
        case .opened(let summary): seen.summary = summary
        case .message(let message): seen.messages.append(message)
        case .incomingFile(let event): try await react(to: event)
        case .outgoingFile(.wanted(let id, let offset, let maximum)):
            try await link.supply(Array(file.dropFirst(Int(offset)).prefix(maximum)), to: id)
        case .outgoingFile(.delivered): seen.delivered += 1
        case .closed(let end): seen.end = end
        case .identified, .invitationAccepted, .probeAnswered, .datagramPath, .datagram, .verify, .verification,
            .outgoingFile,
            .stream,
            .messages,
            .memoryWanted, .memoryReturned, .messageStalled, .trace:
            break
        }
    }

    private mutating func react(to event: IncomingFileEvent) async throws {
        switch event {
        case .offered(let offer):
            fileUnderWay = []
            try await link.acceptFile(offer.file)
        case .data(_, let bytes): fileUnderWay += bytes
        case .complete(let id, _):
            seen.files.append(fileUnderWay)
            try await link.confirmFile(id)
        case .ended: fileUnderWay = []
        }
    }
}

extension ListenerLimits {
    /// A busy machine does not decide whether a peer hears that it is refused.
    static var patient: ListenerLimits {
        var limits = ListenerLimits()
        limits.refusalTimeout = .seconds(3_600)
        return limits
    }
}

/// A listener and how to reach it.
struct Service {
    let listener: LinkListener

    init(
        at endpoint: Endpoint = .loopback, configuration: LinkConfiguration? = nil,
        options: LinkOptions = Nodes.options, limits: ListenerLimits = .patient
    ) async throws {
        listener = try await LinkListener.bind(
            to: endpoint, configuration: configuration ?? Nodes.ben(), options: options, limits: limits,
            eventLoopGroup: Nodes.group)
    }

    func connect(
        _ configuration: LinkConfiguration? = nil, options: LinkOptions = Nodes.options
    ) async throws -> LinkConnection {
        try await LinkConnector.connect(
            to: listener.localEndpoint, configuration: configuration ?? Nodes.anna(), options: options,
            eventLoopGroup: Nodes.group)
    }

    /// The next link that comes.
    func accepted() async throws -> LinkConnection {
        for await link in listener.connections { return link }
        throw ListenerEnded()
    }

    /// Both peers of a session that has opened.
    func openPair(options: LinkOptions = Nodes.options) async throws -> (App, App) {
        let initiator = try await connect(options: options)
        let responder = try await accepted()
        return try await Self.open(initiator, responder)
    }

    static func open(_ initiator: LinkConnection, _ responder: LinkConnection) async throws -> (App, App) {
        try await initiator.invite(Nodes.invitation)
        async let other = opened(App(responder))
        let one = try await opened(App(initiator))
        return (one, try await other)
    }

    private static func opened(_ app: App) async throws -> App {
        var app = app
        let seen = try await app.run { $0.summary != nil }
        guard seen.summary != nil else { throw DidNotOpen(end: seen.end) }
        return app
    }

    struct ListenerEnded: Error {}
    struct DidNotOpen: Error { let end: LinkEnd? }
}
