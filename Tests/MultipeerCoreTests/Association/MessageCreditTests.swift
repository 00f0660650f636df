import MultipeerCertificates
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

@testable import MultipeerCore

@Suite("Credit and results of messages, SPEC §13.3, §13.5, §13.6")
struct MessageCreditTests {
    /// What `messages` write into `room` bytes, divided into frames.
    static func frames(_ messages: inout OutgoingMessages, room: Int = 65_516) -> [(type: UInt64, payload: [UInt8])] {
        var kept = KeptFrames()
        return frames(&messages, room: room, keeping: &kept)
    }

    /// The same, where it matters what is kept.
    static func frames(
        _ messages: inout OutgoingMessages, room: Int = 65_516, keeping kept: inout KeptFrames
    ) -> [(type: UInt64, payload: [UInt8])] {
        var bytes: [UInt8] = []
        bytes.append(addingCapacity: room) { (output: inout OutputSpan<UInt8>) in
            messages.write(room: room, to: &output, keeping: &kept)
        }
        var frames: [(type: UInt64, payload: [UInt8])] = []
        var cursor = FrameCursor(bytes.span)
        while let frame = try? cursor.next() {
            frames.append((frame.rawType, [UInt8](copying: frame.payload)))
        }
        return frames
    }

    static func range(_ first: UInt64, _ last: UInt64) -> MessageRange {
        MessageRange(first: MessageTag(number: first), last: MessageTag(number: last))
    }

    @Test("4,096 empty messages use up the first credit, and no more are sent")
    func empty() throws {
        var messages = OutgoingMessages()
        for _ in 0..<4_100 { _ = messages.append([]) }
        var count = 0
        while messages.canSend { count += Self.frames(&messages).count }
        #expect(count == 4_096 && messages.count == 4)
        try messages.raise(to: 262_144 + 63)
        #expect(!messages.canSend)
        try messages.raise(to: 262_144 + 64)
        #expect(messages.canSend && Self.frames(&messages).count == 1 && !messages.canSend)
    }

    @Test("A message begins with credit for one byte, and continues as credit comes (R15.1-5)")
    func parts() throws {
        var messages = OutgoingMessages()
        _ = messages.append([UInt8](repeating: 7, count: 262_144 - 64 - 65))
        _ = messages.append([1, 2, 3])
        var sizes: [Int] = []
        while messages.canSend { sizes += Self.frames(&messages).map(\.payload.count) }
        // The second one has credit for 64 and one byte.
        #expect(sizes.last == 2 && messages.count == 1 && !messages.canSend)
        try messages.raise(to: 262_145)
        let more = Self.frames(&messages)
        #expect(more.map(\.type) == [0x42] && more.map(\.payload) == [[2]])
        try messages.raise(to: 300_000)
        #expect(Self.frames(&messages).map(\.payload) == [[3]] && messages.isEmpty)
    }

    @Test("Results: delivered as ACK counts, withdrawn, not sent, in doubt (R13.6-2, R13.6-3)")
    func results() throws {
        var (messages, kept) = (OutgoingMessages(), KeptFrames())
        let tags = (1...6).map { messages.append([UInt8($0)]) }
        #expect(messages.takeBack(tags[1]) && !messages.takeBack(tags[1]))
        #expect(Self.frames(&messages, keeping: &kept).count == 5)
        let isTakenBack = messages.takeBack(tags[0])
        #expect(!isTakenBack)
        var delivered = try kept.receive(Ack(count: 2))
        #expect(delivered == [Self.range(1, 1), Self.range(3, 3)])
        delivered = try kept.receive(Ack(count: 4))
        #expect(delivered == [Self.range(4, 5)])
        // A message of which a part is sent is not sent.
        _ = messages.append([UInt8](repeating: 1, count: 100_000))
        #expect(Self.frames(&messages, keeping: &kept).count == 1)
        #expect(messages.dropWaiting() == [Self.range(7, 7)])
        #expect(kept.takeMessages() == [Self.range(6, 6)])
        #expect(messages.isEmpty && messages.byteCount == 0)
    }

    /// A receiver to which messages were begun and continued.
    private static func begin(_ messages: inout IncomingMessages, total: UInt64, _ count: Int) -> LinkFailureCause? {
        var writer = Writer()
        writer.varint(total)
        writer.raw([UInt8](repeating: 5, count: count))
        let payload = writer.bytes
        return cause { () throws(LinkFailureCause) in _ = try messages.begin(payload.span) }
    }

    private static func go(on messages: inout IncomingMessages, _ count: Int) -> LinkFailureCause? {
        let data = [UInt8](repeating: 6, count: count)
        return cause { () throws(LinkFailureCause) in _ = try messages.continue(data.span) }
    }

    @Test("A message uses 64 and its bytes; the limit rises in steps as the app takes messages (R13.3-1, R13.5-2)")
    func receiving() {
        var messages = IncomingMessages(maximum: 1_000_000)
        for _ in 0..<4 { #expect(Self.begin(&messages, total: 65_472, 65_472) == nil) }
        #expect(Self.begin(&messages, total: 0, 0) == .violation(.creditExceeded))
        // Nothing is unused: each that is taken comes back.
        messages.releaseCredit(65_536)
        #expect(messages.isCreditDue && messages.takeCredit() == Credit(kind: .messages, limit: 262_144 + 65_536))
        messages.releaseCredit(65_536)
        #expect(messages.isCreditDue && messages.takeCredit().limit == 262_144 + 131_072)
        // Now half of the window is unused.
        messages.releaseCredit(65_536)
        #expect(!messages.isCreditDue && messages.hasCredit)
        #expect(Self.begin(&messages, total: 0, 0) == nil)
        #expect(messages.isCreditDue && messages.takeCredit().limit == 262_144 + 196_608)
        // An app cannot take more than came.
        messages.releaseCredit(.max)
        #expect(messages.takeCredit().limit == 262_144 + 262_144 + 64)
    }

    @Test("A long message waits for memory, gets it in steps, and returns it (R13.5-3, R13.5-4, R13.5-5)")
    func long() {
        let start = KeepAliveTests.start
        var messages = IncomingMessages(maximum: 10_000_000)
        #expect(Self.begin(&messages, total: 5_000_000, 60_000) == nil)
        let lacking: UInt64 = 5_000_064 - 262_144
        #expect(messages.grant(at: start) == .wanted(lacking) && messages.grant(at: start) == .nothing)
        #expect(!messages.hasCredit && messages.releaseMemory() == 0)
        messages.receive(memory: lacking)
        #expect(messages.grant(at: start) == .nothing)
        // The window comes first, and then one step beyond it.
        #expect(messages.takeCredit().limit == 262_144 + 1_048_576 && messages.deadline != nil)
        var sent = 60_000
        var limit = 262_144 + 1_048_576
        while sent < 5_000_000 {
            let count = min(60_000, 5_000_000 - sent, limit - 64 - sent)
            #expect(count > 0)
            guard count > 0 else { break }
            #expect(Self.go(on: &messages, count) == nil)
            sent += count
            _ = messages.grant(at: start)
            guard messages.isCreditDue else { continue }
            let next = Int(messages.takeCredit().limit)
            #expect(next - limit <= 1_048_576)
            limit = next
        }
        #expect(limit == 5_000_064 && !messages.isPartial && messages.deadline == nil)
        #expect(messages.releaseMemory() == 0 && messages.reserved == lacking)
        messages.releaseCredit(5_000_064)
        #expect(messages.releaseMemory() == lacking && messages.reserved == 0)
    }

    @Test("A sender that does not use its grant is stalled after 60 s (R13.5-5)")
    func stalled() {
        let start = KeepAliveTests.start
        var messages = IncomingMessages(maximum: 10_000_000)
        _ = Self.begin(&messages, total: 500_000, 60_000)
        _ = messages.grant(at: start)
        messages.receive(memory: 300_000)
        _ = messages.grant(at: start)
        _ = messages.takeCredit()
        #expect(messages.isStalled(at: start.advanced(by: .milliseconds(59_999))) == false)
        #expect(messages.isStalled(at: start.advanced(by: .seconds(60))) == true)
        // It stays so, and is looked at again: others may wait by then.
        #expect(messages.isStalled(at: start.advanced(by: .seconds(64))) == false)
        #expect(messages.isStalled(at: start.advanced(by: .seconds(65))) == true)
        while messages.isPartial { #expect(Self.go(on: &messages, 55_000) == nil) }
        #expect(messages.deadline == nil)
    }

    @Test("Faults of a message are judged before its credit (SPEC §15.1, R18-1)")
    func order() {
        var messages = IncomingMessages(maximum: 1_000)
        #expect(Self.begin(&messages, total: 1_001, 900) == .violation(.limitExceeded))
        #expect(Self.go(on: &messages, 1) == unexpected(.messagePart))
        #expect(Self.begin(&messages, total: 1_000, 900) == nil && messages.isPartial)
        #expect(Self.begin(&messages, total: 1, 1) == unexpected(.message))
        #expect(Self.go(on: &messages, 101) == malformed(.lengthOutOfRange, .messageData))
        #expect(Self.go(on: &messages, 0) == malformed(.lengthOutOfRange, .messageData))
        #expect(Self.go(on: &messages, 100) == nil && !messages.isPartial)
    }
}
