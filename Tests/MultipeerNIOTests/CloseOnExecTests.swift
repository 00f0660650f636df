import Foundation
import MultipeerTestSupport
import NIOCore
import Testing

@testable import MultipeerNIO

@Suite("Programs that the process runs", .endsIfItHangs)
struct CloseOnExecTests {
    /// What the system calls a channel's socket.
    private static func name(_ channel: any Channel) async throws -> String {
        try await channel.eventLoop.submit {
            let name = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable {
                (socket: NIOBSDSocket.Handle) in
                var status = stat()
                return unsafe fstat(socket, &status) == 0 ? "socket:[\(status.st_ino)]" : nil
            }
            return try #require(name ?? nil)
        }.get()
    }

    /// Every open file of a program that is run without closing anything, as the program itself sees it.
    private static func filesOfProgram() throws -> String {
        let pipe = try #require(unsafe popen("ls -l /proc/self/fd", "r"))
        var text: [UInt8] = []
        while case let byte = unsafe fgetc(pipe), byte != EOF { text.append(UInt8(truncatingIfNeeded: byte)) }
        #expect(unsafe pclose(pipe) == 0)
        return String(decoding: text, as: UTF8.self)
    }

    @Test("They inherit no socket: neither the listener's, nor a link's of either peer", arguments: [false, true])
    func inherited(isUnix: Bool) async throws {
        let folder = try TemporaryFolder()
        let service = try await isUnix ? Service(at: folder.socket()) : Service()
        let initiator = try await service.connect()
        let responder = try await service.accepted()
        let files = try Self.filesOfProgram()
        #expect(files.contains("pipe:["), "the list is that of open files")
        for channel in [service.listener.channel, initiator.channel, responder.channel] {
            let name = try await Self.name(channel)
            #expect(!files.contains(name), "\(name) of \(String(describing: channel.localAddress))")
        }
        initiator.abort()
        await service.listener.shutdown(gracefullyWithin: .zero)
    }
}
