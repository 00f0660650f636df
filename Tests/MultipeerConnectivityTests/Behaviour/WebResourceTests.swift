import Foundation
import Glibc
import MultipeerConnectivity
import MultipeerTestSupport
import Synchronization
import Testing

@Suite("Resources of the web", .endsIfItHangs)
struct WebResourceTests {
    @Test("A resource on a server is sent to the peer, and a missing one is an error")
    func overHTTP() async throws {
        let service = App.service()
        let (anna, ben) = (App("Anna", service: service), App("Ben", service: service))
        for app in [anna, ben] { app.start() }
        try await anna.invite(ben)
        try await eventually { anna.connected == ["Ben"] && ben.connected == ["Anna"] }
        let server = try OnePageServer(content: "a page")
        let outcomes = Mutex<[String: (any Error)?]>([:])
        for path in ["page", "nothing"] {
            let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/\(path)"))
            anna.session.sendResource(at: url, withName: path, toPeer: ben.id) { error in
                outcomes.withLock { $0[path] = .some(error) }
            }
        }
        try await eventually { outcomes.withLock { $0.count } == 2 && ben.resources.count == 1 }
        #expect(ben.resources == ["Anna: page": Data("a page".utf8)])
        #expect(outcomes.withLock { $0["page"] ?? MCError(.unknown) } == nil)
        let error = outcomes.withLock { $0["nothing"] ?? nil }
        #expect((error as? MCError)?.code == .unavailable)
    }
}

/// Answers requests for `/page`, on loopback, until it goes.
private final class OnePageServer: Sendable {
    private let listener: Int32
    let port: UInt16

    init(content: String) throws {
        listener = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) | listen(listener, 8) | getsockname(listener, address, &length)
            }
        }
        try #require(status == 0)
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { Self.serve(listener, content) }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    private static func serve(_ listener: Int32, _ content: String) {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { break }
            var request = [UInt8](repeating: 0, count: 4_096)
            let count = read(connection, &request, request.count)
            let isKnown = String(decoding: request.prefix(max(count, 0)), as: UTF8.self).hasPrefix("GET /page ")
            let body = isKnown ? content : ""
            let head = isKnown ? "200 OK" : "404 Not Found"
            let answer = Array(
                "HTTP/1.1 \(head)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)".utf8)
            _ = write(connection, answer, answer.count)
            close(connection)
        }
        close(listener)
    }
}
