import MultipeerWire
import Testing

@testable import MultipeerCore

@Suite("Memory of messages under assembly, SPEC §15.1")
struct MessageMemoryTests {
    /// The payload of a MESSAGE.
    private static func message(total: UInt64, _ data: [UInt8]) -> [UInt8] {
        var writer = Writer()
        writer.varint(total)
        writer.raw(data)
        return writer.bytes
    }

    /// What an allocator adds to a request.
    private static let slack = 64

    @Test(
        "Memory is reserved for received bytes, not for announced ones, R15.1-4",
        arguments: [1 << 20, UInt64(UInt32.max), UInt64(Int64.max >> 2)])
    func capacity(total: UInt64) throws {
        var incoming = IncomingMessages(maximum: .max)
        let part = [UInt8](repeating: 7, count: 500)
        #expect(try incoming.begin(Self.message(total: total, part).span) == nil)
        var arrived = part.count
        while arrived < 1 << 17 {
            #expect(incoming.capacity <= 8 * arrived + Self.slack)
            #expect(try incoming.continue(part.span) == nil)
            arrived += part.count
        }
    }

    @Test("A message takes no more memory than its length, and leaves none behind")
    func wholeMessage() throws {
        var incoming = IncomingMessages(maximum: .max)
        let part = [UInt8](repeating: 7, count: 1_000)
        #expect(try incoming.begin(Self.message(total: 100_000, part).span) == nil)
        for _ in 1..<99 {
            #expect(try incoming.continue(part.span) == nil)
            #expect(incoming.capacity <= 100_000 + Self.slack)
        }
        #expect(try incoming.continue(part.span)?.count == 100_000)
        #expect(incoming.capacity == 0)
    }
}
