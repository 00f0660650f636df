import Foundation
import Multipeer
import MultipeerNIO
import MultipeerTerminal
import MultipeerTestSupport
import Testing

@testable import MultipeerCommandLine

@Suite("Printing what a peer sends", .endsIfItHangs)
struct PrintingTests {
    private static let accepting = ["listen", "--accept", "all", "--accept-unverified"]
    private static let mebibyte = 1_048_576

    @Test("Messages of control characters take no longer than others, and people see the beginning")
    func controlCharacters() async throws {
        let scratch = try Scratch()
        let listener = try Tool(Self.accepting + ["--unix", scratch / "socket"])
        _ = try await listener.line(containing: "listening")
        let peer = try await RawPeer("unix:" + (scratch / "socket"))
        try await peer.open()
        for _ in 0..<2 { try await peer.connection.send([UInt8](repeating: 1, count: Self.mebibyte)) }
        for _ in 0..<2 {
            let line = try await listener.line(containing: "message: ")
            let shown = String(repeating: #"\u{1}"#, count: SafeText.messageLimit)
            #expect(line == "[1] message: \(shown)… (1044480 of 1048576 bytes left out; --json prints all)")
        }
        await peer.close()
        listener.send(SIGINT)
        #expect(await listener.finish().status == 0)
    }

    @Test("Programs see the whole message")
    func wholeMessage() async throws {
        let scratch = try Scratch()
        let listener = try Tool(Self.accepting + ["--json", "--once", "--unix", scratch / "socket"])
        _ = try await listener.event("listening")
        let peer = try await RawPeer("unix:" + (scratch / "socket"))
        try await peer.open()
        try await peer.connection.send([UInt8](repeating: 1, count: Self.mebibyte))
        let message = try await listener.event("message")
        #expect(message["text"]?.string?.utf8.count == Self.mebibyte)
        #expect(message["size"] == .number(Double(Self.mebibyte)))
        await peer.close()
        #expect(await listener.finish().status == 0)
    }

    @Test("Output that nobody reads blocks neither the links nor SIGINT")
    func unreadOutput() async throws {
        let scratch = try Scratch()
        let path = try scratch.write("file", TransferTests.bytes(100_000))
        let listener = try Tool(
            Self.accepting + ["--json", "--save", scratch / "in", "--unix", scratch / "socket"], readsLines: 1)
        _ = try await listener.event("listening")
        let peer = try await RawPeer("unix:" + (scratch / "socket"))
        try await peer.open()
        for _ in 0..<16 { try await peer.connection.send([UInt8](repeating: 0x78, count: Self.mebibyte)) }
        let connector = try await Tool.run(
            ["connect", "unix:" + (scratch / "socket"), "--accept-unverified", "--file", path])
        #expect(connector.status == 0)
        listener.send(SIGINT)
        #expect(await listener.finish().status == 0)
    }

    @Test("Omitted lines are counted, in their place")
    func omissions() async throws {
        let scratch = try Scratch()
        let listener = try Tool(
            Self.accepting + ["--json", "--once", "--save", scratch / "in", "--unix", scratch / "socket"],
            readsLines: 1)
        _ = try await listener.event("listening")
        let peer = try await RawPeer("unix:" + (scratch / "socket"))
        try await peer.open()
        for _ in 0..<16 { try await peer.connection.send([UInt8](repeating: 0x78, count: Self.mebibyte)) }
        // The file comes after the messages, so the listener has handled them all when it has the file.
        #expect(try await peer.send([1], named: "last") == .delivered)
        listener.readOn()
        let omitted = try #require(try await listener.event("omitted")["count"]?.number)
        await peer.close()
        let finished = await listener.finish()
        #expect(finished.status == 0)
        let messages = finished.events.all("message").count
        #expect(messages < 16 && messages + omitted >= 16)
        #expect(finished.events.names.last == "closed")
    }

    @Test("A full queue counts what it omits, until half of it is free")
    func queue() {
        func item(_ text: String) -> PrintQueue.Item { PrintQueue.Item(stream: .output, bytes: Array(text.utf8)) }
        func omission(_ count: Int) -> PrintQueue.Item { item("\(count) left out") }
        var queue = PrintQueue()
        let half = String(repeating: "x", count: PrintQueue.limit / 2)
        for _ in 0..<2 {
            #expect(queue.hasRoom)
            queue.append(item(half), omission: omission)
        }
        for _ in 0..<3 {
            #expect(!queue.hasRoom)
            queue.omit()
        }
        let full = queue.takeBatch(omission: omission)
        #expect(full?.items.count == 2)
        queue.noteWritten(half.utf8.count)
        #expect(!queue.hasRoom)
        queue.noteWritten(1)
        #expect(queue.hasRoom)
        queue.append(item("after"), omission: omission)
        let counted = queue.takeBatch(omission: omission)
        #expect(counted?.items == [item("3 left out"), item("after")])
        // Also when nothing comes after.
        queue.omit()
        let last = queue.takeBatch(omission: omission)
        #expect(last?.items == [item("1 left out")])
        let none = queue.takeBatch(omission: omission)
        #expect(none == nil && queue.isIdle)
    }

    @Test("A shortened message ends between two characters")
    func cut() {
        let limit = SafeText.messageLimit
        for width in 1...4 {
            let start = limit - width + 1
            let text = String(repeating: "a", count: start) + "🎈tail"
            let note = "… (8 of \(start + 8) bytes left out; --json prints all)"
            #expect(SafeText.message(Array(text.utf8)) == String(repeating: "a", count: start) + note)
        }
        #expect(SafeText.message(Array("short\n".utf8)) == #"short\n"#)
        #expect(SafeText.message([0xFF]) == "1 bytes, base64 /w==")
        let binary = SafeText.message([UInt8](repeating: 0xFF, count: limit + 3))
        #expect(binary.hasSuffix("… (3 of \(limit + 3) bytes left out; --json prints all)"))
    }
}
