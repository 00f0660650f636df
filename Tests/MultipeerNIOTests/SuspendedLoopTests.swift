import Dispatch
import MultipeerCore
import MultipeerDriver
import MultipeerNIO
import MultipeerTestSupport
import MultipeerWire
import NIOCore
import NIOPosix
import Testing

@Suite("A loop that was suspended, SPEC §13.7, R18-2", .endsIfItHangs)
struct SuspendedLoopTests {
    /// NIO runs the tasks that are due before it looks at the sockets again, so the timer comes first where a process was stopped within
    /// them.
    @Test("The peer was not silent whose bytes wait in the socket when the timer goes off")
    func unread() async throws {
        let clock = ManualClock()
        let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var options = Nodes.options
        options.clock = clock
        let service = try await Service()
        let initiator = try await LinkConnector.connect(
            to: service.listener.localEndpoint,
            configuration: Nodes.anna { $0.timeouts.keepAlive = KeepAliveTimes() }, options: options,
            eventLoopGroup: loop)
        let (first, ben) = try await Service.open(initiator, try await service.accepted())
        var anna = first
        let (suspensions, suspension) = AsyncStream.makeStream(of: Void.self)
        let continues = DispatchSemaphore(value: 0)
        loop.next().execute {
            suspension.yield()
            continues.wait()
        }
        for await _ in suspensions { break }
        try await ben.link.send([1])
        try await eventually { await ben.link.status().queuedByteCount == 0 }
        clock.advance(by: .seconds(20))
        // The timer's task hands its work to the loop, where it waits behind the suspension.
        for _ in 0..<1_000 { await Task.yield() }
        continues.signal()
        let seen = try await anna.run { !$0.messages.isEmpty }
        #expect(seen.messages == [[1]] && seen.end == nil, "\(String(describing: seen.failure))")
        ben.link.close()
        try await anna.run()
        await service.listener.shutdown()
        try await loop.shutdownGracefully()
    }
}
