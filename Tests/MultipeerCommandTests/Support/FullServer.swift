import Foundation
import Glibc

/// A TCP server on loopback whose queue is full, so that the system answers no further client.
final class FullServer: Sendable {
    let address: String
    private let port: Int
    private let descriptors: [Int32]

    init() throws {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (bound, clients) = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                let bound =
                    bind(server, pointer, length) == 0 && listen(server, 0) == 0
                    && getsockname(server, pointer, &length) == 0
                // More than the queue holds.
                let clients = (0..<4).map { _ in
                    let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
                    _ = connect(client, pointer, length)
                    return client
                }
                return (bound, clients)
            }
        }
        guard bound else { throw Tool.Failure(description: "no server") }
        descriptors = [server] + clients
        port = Int(UInt16(bigEndian: name.sin_port))
        address = "127.0.0.1:\(port)"
    }

    deinit { for descriptor in descriptors { close(descriptor) } }

    /// The clients that have sent SYN without an answer, as the system says: their own addresses.
    func waitingClients() throws -> Set<Substring> {
        // To its end: a file of the kernel's has no size, and reading it by its size may stop early.
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/net/tcp"))
        let table = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        let remote = "0100007F:" + String(port, radix: 16, uppercase: true).leftPadded(to: 4)
        let clients = table.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            return fields.count > 3 && fields[2] == remote && fields[3] == "02" ? fields[1] : nil
        }
        return Set(clients)
    }
}

extension String {
    fileprivate func leftPadded(to length: Int) -> String {
        String(repeating: "0", count: max(0, length - count)) + self
    }
}
