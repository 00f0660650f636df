import Foundation
import MultipeerTestSupport
import Testing

@Suite("The shelf of PDF files, as processes", .endsIfItHangs)
struct PaperShelfTests {
    private let scratch: Scratch
    private let anna = ownName("Anna")
    private let ben = ownName("Ben")

    init() throws {
        scratch = try Scratch()
        for folder in ["anna", "ben"] {
            try FileManager.default.createDirectory(
                atPath: scratch / folder, withIntermediateDirectories: true)
        }
    }

    private static func pdf(_ count: Int) -> [UInt8] {
        Array("%PDF-1.7\n".utf8) + (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    }

    private func start() async throws -> (sender: Program, receiver: Program) {
        let sender = try Program("PaperShelf", [anna, scratch / "anna"])
        let receiver = try Program("PaperShelf", [ben, scratch / "ben"])
        try await sender.sees("\(ben) is nearby")
        return (sender, receiver)
    }

    @Test("A person chooses a file and a reader, the reader accepts, and both see the progress")
    func handed() async throws {
        let content = Self.pdf(6_000_000)
        try scratch.write("anna/Report.pdf", content)
        try scratch.write("anna/notes.txt", "no paper")
        try scratch.write("ben/Report.pdf", Self.pdf(1))
        let (sender, receiver) = try await start()
        #expect(sender.shown.contains("1  Report.pdf\n") && !sender.shown.contains("notes"))
        sender.type("send 1 \(ben)")
        try await receiver.sees("\(anna) wants to hand you papers: yes or no?")
        receiver.type("yes")
        try await sender.sees("Sending Report.pdf: ")
        try await receiver.sees("Receiving Report.pdf: ")
        try await sender.sees("Sent Report.pdf")
        // Nothing is overwritten.
        try await receiver.sees("Received Report 2.pdf")
        #expect(try scratch.read("ben/Report 2.pdf") == content)
        #expect(try scratch.read("ben/Report.pdf") == Self.pdf(1))
        // Another one goes over the same connection.
        sender.type("send 1 \(ben)")
        try await receiver.sees("Received Report 3.pdf")
        for program in [sender, receiver] { #expect(await program.ends(typing: "quit") == 0) }
    }

    @Test("A file that is no paper is not kept, and a reader who declines gets nothing")
    func refused() async throws {
        try scratch.write("anna/Fake.pdf", "no paper at all")
        let (sender, receiver) = try await start()
        sender.type("send 1 \(ben)")
        try await receiver.sees("wants to hand you papers")
        receiver.type("no")
        try await sender.sees("\(ben) is not connected")
        sender.type("send 1 \(ben)")
        try await receiver.sees("wants to hand you papers")
        receiver.type("yes")
        try await receiver.sees("Received nothing of Fake.pdf: Fake.pdf is not a PDF file")
        #expect(try scratch.names(in: "ben") == [])
        for program in [sender, receiver] { #expect(await program.ends(typing: "quit") == 0) }
    }

    @Test("Either person cancels", arguments: [true, false])
    func cancelled(bySender: Bool) async throws {
        // Nothing fits through the loopback interface before somebody has typed.
        let file = try scratch.write("anna/Long.pdf", Self.pdf(8))
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
        try handle.truncate(atOffset: 2_000_000_000)
        try handle.close()
        let (sender, receiver) = try await start()
        sender.type("send 1 \(ben)")
        try await receiver.sees("wants to hand you papers")
        receiver.type("yes")
        try await sender.sees("Sending Long.pdf: ")
        try await receiver.sees("Receiving Long.pdf: ")
        (bySender ? sender : receiver).type("cancel")
        try await sender.sees("Sent nothing of Long.pdf: ")
        try await receiver.sees("Received nothing of Long.pdf: ")
        #expect(try scratch.names(in: "ben") == [])
        for program in [sender, receiver] { #expect(await program.ends(typing: "quit") == 0) }
    }
}
