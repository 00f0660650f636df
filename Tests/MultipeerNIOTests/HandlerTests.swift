import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import MultipeerTestSupport
import MultipeerTesting
import MultipeerWire
import NIOCore
import NIOEmbedded
import Testing

@testable import MultipeerNIO

/// The handler in a pipeline of others, on a virtual clock.
@Suite("The handler in other pipelines", .endsIfItHangs)
struct HandlerTests {
    /// On a virtual clock nothing waits for a validator's task.
    fileprivate static var askingTheApp: LinkOptions {
        var options = Nodes.options
        options.validator = nil
        return options
    }

    private final class Side {
        let channel: EmbeddedChannel
        let connection: LinkConnection

        init(_ role: LinkRole, _ configuration: LinkConfiguration, options: LinkOptions = HandlerTests.askingTheApp)
            throws
        {
            channel = EmbeddedChannel()
            connection = try LinkConnection.install(
                on: channel, role: role, configuration: configuration, options: options)
            try channel.connect(to: SocketAddress(unixDomainSocketPath: "/none")).wait()
        }

        /// A channel and its pipeline hold each other until the end.
        deinit {
            _ = channel.close()
            channel.embeddedEventLoop.run()
        }

        var handler: LinkHandler { connection.carrier.value.handler }

        /// What the end of a burst of reads has written is flushed in the loop's next turn.
        func outbound() throws -> [UInt8] {
            channel.embeddedEventLoop.run()
            var bytes: [UInt8] = []
            while let buffer = try channel.readOutbound(as: ByteBuffer.self) { bytes += buffer.readableBytesView }
            return bytes
        }

        /// Requests run on the loop, which is this thread.
        func ask<Result>(_ request: (inout Link, Instant) throws(RequestError) -> Result) throws(RequestError) -> Result
        {
            try handler.perform(request).get()
        }
    }

    private func carry(_ one: Side, _ other: Side) throws {
        while true {
            let (there, back) = (try one.outbound(), try other.outbound())
            if there.isEmpty, back.isEmpty { return }
            if !there.isEmpty { try other.channel.writeInbound(ByteBuffer(bytes: there)) }
            if !back.isEmpty { try one.channel.writeInbound(ByteBuffer(bytes: back)) }
        }
    }

    @Test("The deadline is the loop's: silence closes the link at ten virtual seconds, and then the channel")
    func handshakeDeadline() throws {
        let side = try Side(.responder, Nodes.ben { $0.timeouts = LinkTimeouts() })
        side.channel.embeddedEventLoop.advanceTime(by: .milliseconds(9_999))
        #expect(side.channel.isActive)
        side.channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!side.channel.isActive)
        #expect(Self.ends(side) == [.failed(LinkFailure(stage: .hello, cause: .timedOut))])
    }

    @Test("If a channel takes nothing, waiting frames stay in the link")
    func notWritable() throws {
        let (anna, ben) = try openPair()
        anna.channel.isWritable = false
        anna.channel.pipeline.fireChannelWritabilityChanged()
        _ = try anna.ask { (link, now) throws(RequestError) in
            try link.send([UInt8](repeating: 1, count: 1_000), at: now)
        }
        #expect(try anna.outbound().isEmpty)
        #expect(anna.handler.driver.status.queuedByteCount == 1_000)
        anna.channel.isWritable = true
        anna.channel.pipeline.fireChannelWritabilityChanged()
        #expect(try anna.outbound().count > 1_000)
        #expect(anna.handler.driver.status.queuedByteCount == 0)
        _ = ben
    }

    @Test("A socket is not read while the app leaves its events, and is read again when it takes them (SPEC §15.2)")
    func readHeldBack() throws {
        // Messages use credit, so that only traces pile up.
        let (anna, ben) = try openPair(ben: Nodes.ben { $0.tracesRecords = true }) {
            $0.events = Watermarks(low: 1_000, high: 20_000)
        }
        let reads = CountsReads()
        try ben.channel.pipeline.syncOperations.addHandler(reads, position: .first)
        ben.channel.read()
        #expect(reads.count == 1)
        for _ in 0..<100 where ben.handler.driver.wantsRead {
            _ = try anna.ask { (link, now) throws(RequestError) in
                try link.send([UInt8](repeating: 1, count: 1_000), at: now)
            }
            try ben.channel.writeInbound(ByteBuffer(bytes: try anna.outbound()))
        }
        #expect(!ben.handler.driver.wantsRead)
        for _ in 0..<3 { ben.channel.read() }
        #expect(reads.count == 1)
        _ = ben.connection.queue.takeAll()
        ben.channel.embeddedEventLoop.run()
        #expect(ben.handler.driver.wantsRead && reads.count == 2)
    }

    @Test("Bytes that waited for the channel are sent now: the closing deadline counts from then")
    func lateClose() throws {
        let (anna, ben) = try openPair()
        try anna.channel.pipeline.syncOperations.addHandler(StaysOpen(), position: .first)
        anna.channel.isWritable = false
        anna.channel.pipeline.fireChannelWritabilityChanged()
        try anna.ask { (link, now) throws(RequestError) in
            try link.send([1, 2, 3], at: now)
            link.close(at: now)
        }
        let deadline = anna.handler.driver.deadline
        let patience = try #require(deadline).nanoseconds - anna.handler.now.nanoseconds
        anna.channel.embeddedEventLoop.advanceTime(by: .nanoseconds(Int64(patience)) - .milliseconds(1))
        #expect(anna.handler.driver.stage == .draining)
        anna.channel.isWritable = true
        anna.channel.pipeline.fireChannelWritabilityChanged()
        #expect(anna.handler.driver.stage == .closing)
        #expect(anna.handler.driver.deadline?.nanoseconds == anna.handler.now.nanoseconds + patience)
        _ = ben
    }

    @Test("A long message is sent up to its credit, and leaves the loop")
    func longMessage() throws {
        let (anna, _) = try openPair()
        _ = try anna.ask { (link, now) throws(RequestError) in
            try link.send([UInt8](repeating: 1, count: 5_000_000), at: now)
        }
        let first = try anna.outbound().count
        #expect(first > 262_144 && first < 263_000)
        anna.channel.embeddedEventLoop.run()
        #expect(try anna.outbound().isEmpty)
        #expect(anna.handler.driver.status.queuedByteCount == 5_000_000 - 262_080)
    }

    @Test("Half-closure: the end of the peer's stream is truncation, the channel closes")
    func halfClosure() throws {
        let (anna, _) = try openPair()
        anna.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        anna.channel.embeddedEventLoop.run()
        #expect(!anna.channel.isActive)
        #expect(Self.ends(anna) == [.failed(LinkFailure(stage: .open, cause: .truncated))])
    }

    @Test("After the end nothing retains handler and connection")
    func freed() throws {
        weak var handler: LinkHandler?
        weak var connection: LinkConnection?
        try {
            let (anna, ben) = try openPair()
            handler = anna.handler
            connection = anna.connection
            try anna.channel.close().wait()
            anna.channel.embeddedEventLoop.run()
            _ = ben
        }()
        #expect(handler == nil)
        #expect(connection == nil)
    }

    /// An embedded loop is its thread's, so that events are read where they are rather than awaited.
    private static func ends(_ side: Side) -> [LinkEnd] {
        side.connection.queue.takeAll().compactMap { event in
            if case .closed(let end) = event { end } else { nil }
        }
    }

    private func openPair(
        ben configuration: LinkConfiguration? = nil, adjustBen: (inout LinkOptions) -> Void = { _ in }
    ) throws -> (Side, Side) {
        var options = Self.askingTheApp
        adjustBen(&options)
        let anna = try Side(.initiator, Nodes.anna())
        let ben = try Side(.responder, configuration ?? Nodes.ben(), options: options)
        try anna.ask { (link, now) throws(RequestError) in
            try link.invite(Nodes.invitation, at: now)
        }
        for _ in 0..<4 {
            try carry(anna, ben)
            for side in [anna, ben] {
                for event in side.connection.queue.takeAll() {
                    switch event {
                    case .invited(let token, _):
                        try side.ask { (link, now) throws(RequestError) in
                            try link.accept(token, with: Nodes.terms, at: now)
                        }
                    case .verify(let token, _):
                        try side.ask { (link, now) throws(RequestError) in
                            try link.submitVerdict(.accepted(.unverified), for: token, at: now)
                        }
                    default: break
                    }
                }
            }
        }
        #expect(anna.handler.driver.stage == .open)
        #expect(ben.handler.driver.stage == .open)
        return (anna, ben)
    }
}

/// Stands where the socket would be.
private final class CountsReads: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    private(set) var count = 0

    func read(context: ChannelHandlerContext) {
        count += 1
        context.read()
    }
}

/// An embedded channel knows no half-closure: it would close in both directions at once.
private final class StaysOpen: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .output else { return context.close(mode: mode, promise: promise) }
        promise?.succeed()
    }
}
