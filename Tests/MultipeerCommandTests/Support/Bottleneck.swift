import Glibc

/// A relay before a listener that lets a number of bytes pass to it, and no more: what a client sends can then not be complete, however
/// busy the machine is.
final class Bottleneck: Sendable {
    private let relay: Tool
    /// Where to connect instead.
    let address: String

    private static let script = """
        import socket, sys, threading
        host, port = sys.argv[1].rsplit(":", 1)
        door = socket.create_server(("127.0.0.1", 0))
        print("address 127.0.0.1:%d" % door.getsockname()[1], flush=True)
        client = door.accept()[0]
        server = socket.create_connection((host, int(port)))
        def back():
            while data := server.recv(65536): client.sendall(data)
        threading.Thread(target=back, daemon=True).start()
        left = int(sys.argv[2])
        while left and (data := client.recv(min(65536, left))):
            server.sendall(data)
            left -= len(data)
        print("held" if not left else "ended", flush=True)
        threading.Event().wait()
        """

    /// - Parameters:
    ///   - address: Where the listener is.
    ///   - bytes: How many bytes of the first client pass.
    init(before address: String, passing bytes: Int) async throws {
        relay = try Tool(["python3", "-c", Self.script, address, "\(bytes)"], program: "/usr/bin/env")
        let line = try await relay.line(containing: "address ")
        self.address = String(line.dropFirst("address ".count))
    }

    /// Waits until all bytes have passed that may.
    func waitUntilFull() async throws { _ = try await relay.line(containing: "held") }

    /// Both ends lose the connection.
    func close() async {
        relay.send(SIGKILL)
        _ = await relay.finish()
    }
}
