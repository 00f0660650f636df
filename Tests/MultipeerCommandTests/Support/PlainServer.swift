import Foundation
import Glibc
import Synchronization

/// A TCP server on loopback that sends fixed bytes to one client, reads until the client is done, and closes.
final class PlainServer: Sendable {
    let address: String
    private let descriptor: Int32

    /// - Parameter reply: Sent at once; nil to say nothing and keep the connection.
    init(reply: [UInt8]?) throws {
        let (descriptor, port) = try Self.listen()
        self.descriptor = descriptor
        address = "127.0.0.1:\(port)"
        guard let reply else { return }
        Thread.detachNewThread {
            let client = accept(descriptor, nil, nil)
            guard client >= 0 else { return }
            _ = reply.withUnsafeBytes { Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while read(client, &buffer, buffer.count) > 0 {}
            close(client)
        }
    }

    deinit { close(descriptor) }

    private static func listen() throws -> (Int32, Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name -> Int? in
                guard bind(descriptor, name, length) == 0, Glibc.listen(descriptor, 8) == 0,
                    getsockname(descriptor, name, &length) == 0
                else { return nil }
                return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    Int(UInt16(bigEndian: $0.pointee.sin_port))
                }
            }
        }
        guard let port else { throw Tool.Failure(description: "no socket") }
        return (descriptor, port)
    }

    /// Sends bytes to a listener as a client does that is no peer, and waits until it closes.
    static func send(_ bytes: [UInt8], to address: String) throws {
        guard let port = address.split(separator: ":").last.flatMap({ UInt16($0) }) else { return }
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw Tool.Failure(description: "cannot connect") }
        _ = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard !bytes.isEmpty else { return }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while read(descriptor, &buffer, buffer.count) > 0 {}
    }
}
