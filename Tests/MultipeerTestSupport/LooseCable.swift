import Foundation
import Synchronization

/// A relay before a listener, whose connections can be cut, as by a cable that is pulled out and put in again.
package final class LooseCable: Sendable {
    private struct State {
        let process: Process
        let input: FileHandle
    }

    private let state: Mutex<State>
    /// Where to connect instead, on the loopback interface.
    package let port: Int

    private static let script = """
        import socket, struct, sys, threading
        target = ("127.0.0.1", int(sys.argv[1]))
        door = socket.create_server(("127.0.0.1", 0))
        print(door.getsockname()[1], flush=True)
        ends, lock, blocked = set(), threading.Lock(), False

        def carry(source, sink):
            try:
                while data := source.recv(65536): sink.sendall(data)
                sink.shutdown(socket.SHUT_WR)
            except OSError: pass

        def serve():
            while True:
                client = door.accept()[0]
                with lock:
                    if blocked:
                        client.close()
                        continue
                    server = socket.create_connection(target)
                    ends.update((client, server))
                for pair in ((client, server), (server, client)):
                    threading.Thread(target=carry, args=pair, daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        for line in sys.stdin:
            with lock:
                blocked = line.strip() == "pull"
                for end in ends:
                    try:
                        # What is on its way is lost.
                        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                        end.shutdown(socket.SHUT_RDWR)
                        end.close()
                    except OSError: pass
                ends.clear()
        """

    /// - Parameter port: Where the listener is, on the loopback interface.
    package init(before port: Int) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.script, "\(port)"]
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        var line = ""
        while !line.hasSuffix("\n") {
            guard let bytes = try output.fileHandleForReading.read(upToCount: 1), !bytes.isEmpty else {
                throw Tool.Failure(description: "the relay has not begun")
            }
            line += String(decoding: bytes, as: UTF8.self)
        }
        self.port = Int(line.dropLast()) ?? 0
        state = Mutex(State(process: process, input: input.fileHandleForWriting))
    }

    deinit { state.withLock { $0.process.terminate() } }

    /// All connections break, and others can be made.
    package func shake() { tell("shake") }

    /// All connections break, and no other one can be made.
    package func pull() { tell("pull") }

    /// Connections can be made again.
    package func plug() { tell("plug") }

    private func tell(_ order: String) {
        state.withLock { try? $0.input.write(contentsOf: Array((order + "\n").utf8)) }
    }
}
