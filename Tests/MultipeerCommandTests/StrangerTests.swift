import Glibc
import Multipeer
import MultipeerClock
import MultipeerCrypto
import MultipeerNIO
import MultipeerTestSupport
import Testing

@testable import MultipeerCommandLine

/// What strangers make a program ask and print, however many they are.
@Suite("Strangers at the terminal, SPEC §19", .endsIfItHangs)
struct StrangerTests {
    private struct Ask: Question {
        let caller: Caller
        let label = ""
        let text = ""
        let lastLine = ""
    }

    private static func ask(_ key: UInt8, from host: String, isKnown: Bool = false) throws -> Ask {
        let key = try IdentityKey(rawBytes: [UInt8](repeating: key, count: 32))
        return Ask(caller: Caller(key, from: .tcp(host: host, port: 4711), isKnown: isKnown))
    }

    @Test("Questions of strangers leave a quarter of the places to known peers; a finished question frees its place")
    func places() throws {
        var queue = QuestionQueue()
        let strangers = try (1...40).compactMap { queue.add(try Self.ask($0, from: "192.0.2.\($0)")) }
        #expect(strangers.count == 12)
        let known = try (41...50).compactMap { queue.add(try Self.ask($0, from: "192.0.2.1", isKnown: true)) }
        #expect(known.count == 4)
        _ = queue.remove(strangers[0])
        #expect(queue.add(try Self.ask(60, from: "198.51.100.1")) != nil)
        #expect(queue.add(try Self.ask(61, from: "198.51.100.2")) == nil)
        var crowd = QuestionQueue()
        #expect(try (1...9).compactMap { crowd.add(try Self.ask($0, from: "192.0.2.1")) }.count == 4)
    }

    @Test("Of 2,400 strangers 32 at once and one more in two seconds are printed; the others are counted")
    func lines() {
        let clock = ManualClock()
        let lines = StrangerLines(clock: clock)
        let heard = (1...2_400).map { _ in lines.begin() }
        #expect(heard.count { $0.isHeard } == 32 && heard.prefix(32).allSatisfy { $0.isHeard && $0.missed == 0 })
        #expect(!lines.begin().isHeard)
        clock.advance(by: StrangerLines.interval)
        #expect(lines.begin() == (true, 2_369))
        #expect(!lines.begin().isHeard)
        #expect(lines.takeMissed() == 1 && lines.takeMissed() == 0)
    }

    @Test("listen: strangers over the limit have no lines until they open a session")
    func listen() async throws {
        let listener = try Tool(["listen", "--port", "0", "--json", "--accept", "all", "--accept-unverified"])
        let address = try await listener.address()
        for _ in 0..<100 { try PlainServer.send([0], to: address) }
        let guest = try await Tool.run(
            ["connect", address, "--json", "--accept-unverified", "--message", "hello"])
        #expect(guest.status == 0, "\(guest.errors)")
        _ = try await listener.event("message")
        listener.send(SIGINT)
        let events = await listener.finish().events
        #expect(events.first("message")?["text"]?.string == "hello" && events.all("opened").count == 1)
        let counted = events.all("strangers").compactMap { $0["count"]?.number }.reduce(0, +)
        // For as many the test has no time.
        #expect(counted > 0 && events.all("connected").count < 90 && events.all("connected").count + counted <= 101)
    }
}
