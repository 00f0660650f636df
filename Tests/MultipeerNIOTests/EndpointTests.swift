import MultipeerNIO
import MultipeerTestSupport
import NIOCore
import Testing

@Suite("Endpoints", .endsIfItHangs)
struct EndpointTests {
    @Test(
        "Texts are read and written alike",
        arguments: [
            ("localhost:7000", Endpoint.tcp(host: "localhost", port: 7000)),
            ("127.0.0.1:0", .tcp(host: "127.0.0.1", port: 0)),
            ("[::1]:65535", .tcp(host: "::1", port: 65_535)),
            ("[fe80::1%eth0]:1", .tcp(host: "fe80::1%eth0", port: 1)),
            ("unix:/run/a:b", .unixSocket(path: "/run/a:b")),
            ("unix:\u{301}a", .unixSocket(path: "\u{301}a")),
            ("h\u{301}:80", .tcp(host: "h\u{301}", port: 80)),
            ("[:\u{301}]:80", .tcp(host: ":\u{301}", port: 80)),
        ])
    func roundTrip(text: String, endpoint: Endpoint) throws {
        #expect(try Endpoint(parsing: text) == endpoint)
        #expect(endpoint.description == text)
    }

    @Test("Brackets around a name or an IPv4 address are harmless")
    func superfluousBrackets() throws {
        #expect(try Endpoint(parsing: "[127.0.0.1]:80") == .tcp(host: "127.0.0.1", port: 80))
    }

    @Test(
        "Other texts are refused with a reason",
        arguments: [
            ("", EndpointSyntaxError.missingPort), ("localhost", .missingPort), ("localhost:", .missingPort),
            (":80", .missingHost), ("[]:80", .missingHost), ("h:65536", .invalidPort), ("h:+80", .invalidPort),
            ("h:-1", .invalidPort), ("h:8o", .invalidPort), ("::1:80", .unbracketedAddress),
            ("[::1:80", .unbalancedBrackets), ("::1]:80", .unbracketedAddress), ("a]:80", .unbalancedBrackets),
            ("unix:", .missingPath),
        ])
    func refused(text: String, error: EndpointSyntaxError) {
        #expect(throws: error) { try Endpoint(parsing: text) }
    }

    @Test("Addresses of sockets become endpoints")
    func socketAddresses() throws {
        #expect(Endpoint(try SocketAddress(ipAddress: "::1", port: 9)) == .tcp(host: "::1", port: 9))
        #expect(Endpoint(try SocketAddress(unixDomainSocketPath: "/s")) == .unixSocket(path: "/s"))
    }
}
