import Multipeer
import MultipeerCrypto
import MultipeerNIO
import Testing

@Suite("The link to a peer, SPEC §25.9")
struct PeerLinkTests {
    static let digits = String(repeating: "0a", count: 32)

    private static func whole() throws -> PeerLink {
        PeerLink(
            key: try #require(IdentityKey(digits)),
            addresses: [.tcp(host: "desk.local", port: 4711), .tcp(host: "fe80::1%eth0", port: 9)],
            code: OneTimeCode(typed: "4-tulip-orbit"), name: try DisplayName("Zoë & 100 %"))
    }

    @Test("The text matches the specification, and is read as it was written")
    func text() throws {
        let link = try Self.whole()
        #expect(
            link.description
                == "multipeer:\(Self.digits)?at=desk.local:4711&at=[fe80::1%25eth0]:9&code=4-tulip-orbit"
                + "&name=Zo%C3%AB%20%26%20100%20%25")
        #expect(try PeerLink(link.description) == link)
        let bare = PeerLink(key: link.key)
        #expect(bare.description == "multipeer:\(Self.digits)")
        #expect(try PeerLink(bare.description) == bare)
    }

    @Test("The scheme and hexadecimal digits may be capitals; an unknown parameter is ignored")
    func lenient() throws {
        let link = try PeerLink(
            "MULTIPEER:\(Self.digits.uppercased())?x=%41&at=a:1&&later&code=4%20Tulip%20orbit&name=%c3%a9")
        #expect(link.addresses == [.tcp(host: "a", port: 1)] && link.code?.normalForm == "4-tulip-orbit")
        #expect(link.name?.description == "\u{E9}")
    }

    static let faults: [(String, PeerLinkError)] = [
        ("", .notALink), ("multipeer", .notALink), ("http://desk.local", .notALink), ("multipeer:", .key),
        ("multipeer://\(digits)", .key), ("multipeer:\(digits.dropLast())", .key), ("multipeer:\(digits)0", .key),
        ("multipeer:\(digits)?at=desk", .address), ("multipeer:\(digits)?at=unix:/tmp/x", .address),
        ("multipeer:\(digits)?at=fe80::1:1", .address), ("multipeer:\(digits)?at", .address),
        ("multipeer:\(digits)?" + String(repeating: "at=a:1&", count: 9), .address),
        ("multipeer:\(digits)?code=4-tulip", .code),
        ("multipeer:\(digits)?code=4-tulip-orbit&code=4-tulip-orbit", .code),
        ("multipeer:\(digits)?name=", .name), ("multipeer:\(digits)?name=a&name=b", .name),
        ("multipeer:\(digits)?name=%1B", .name), ("multipeer:\(digits)?x=%4", .encoding),
        ("multipeer:\(digits)?x=%+1", .encoding), ("multipeer:\(digits)?x=%FF", .encoding),
        ("multipeer:\(digits)?x=" + String(repeating: "a", count: 2_048), .tooLong),
    ]

    @Test("R25.9-1: text that is no link is refused, with a reason and a remedy", arguments: faults)
    func refused(text: String, error: PeerLinkError) {
        #expect(throws: error) { try PeerLink(text) }
        #expect(error.description.contains("copy the whole link"))
    }

    @Test("A link has at most 8 addresses, all of them hosts, and fits in its length with the longest name")
    func bounds() throws {
        let host = String(repeating: "h", count: 63)
        let addresses = (1...9).map { Endpoint.tcp(host: host, port: $0) } + [.unixSocket(path: "/x")]
        let name = try DisplayName(String(repeating: "\u{3042}", count: 21))
        let link = PeerLink(
            key: try #require(IdentityKey(Self.digits)), addresses: [.unixSocket(path: "/x")] + addresses, name: name)
        #expect(link.addresses == Array(addresses.prefix(8)))
        #expect(try PeerLink(link.description) == link)
    }
}
