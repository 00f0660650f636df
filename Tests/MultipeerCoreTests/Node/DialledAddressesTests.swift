import MultipeerCertificates
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

@testable import MultipeerCore

@Suite("Addresses that are dialled, SPEC §14.8")
struct DialledAddressesTests {
    static func ipv4(_ address: [UInt8], port: [UInt8] = [0x12, 0x67]) -> MemberAddress {
        MemberAddress(kind: MemberAddress.ipv4, value: address + port)
    }

    static func ipv6(_ beginning: [UInt8], _ end: [UInt8]) -> MemberAddress {
        let zeros = [UInt8](repeating: 0, count: 16 - beginning.count - end.count)
        return MemberAddress(kind: MemberAddress.ipv6, value: beginning + zeros + end + [0x12, 0x67])
    }

    @Test("Neither this host, nor many, nor nowhere (R14.8-4)")
    func filter() {
        for address in [[10, 0, 0, 1], [192, 168, 1, 2], [169, 254, 7, 7], [8, 8, 8, 8], [255, 255, 255, 254]]
            as [[UInt8]]
        {
            #expect(Self.ipv4(address).isDialable)
            #expect(Self.ipv6([], [0xFF, 0xFF] + address).isDialable)
            #expect(!Self.ipv4(address, port: [0, 0]).isDialable)
        }
        for address in [
            [0, 0, 0, 0], [127, 0, 0, 1], [127, 9, 9, 9], [224, 0, 0, 251], [239, 255, 255, 250], [255, 255, 255, 255],
        ]
            as [[UInt8]]
        {
            #expect(!Self.ipv4(address).isDialable)
            #expect(!Self.ipv6([], [0xFF, 0xFF] + address).isDialable)
        }
        #expect(!Self.ipv6([], []).isDialable && !Self.ipv6([], [1]).isDialable && Self.ipv6([], [2]).isDialable)
        #expect(!Self.ipv6([0xFF, 2], [0xFB]).isDialable)
        #expect(Self.ipv6([0xFE, 0x80], [7]).isDialable && Self.ipv6([0x20, 1], [1]).isDialable)
        #expect(!MemberAddress(kind: 9, value: [1, 2, 3, 4, 5, 6]).isDialable)
        #expect(!MemberAddress(kind: 9, value: []).isDialable && !MemberAddress(kind: 1, value: [1]).isDialable)
    }

    @Test("An address once in 60 s, eight attempts at once (R14.8-4)")
    func limits() {
        let start = KeepAliveTests.start
        var dialled = DialledAddresses()
        let first = Self.ipv4([10, 0, 0, 1])
        #expect(dialled.begin(first, at: start) == true)
        #expect(dialled.begin(first, at: start) == false)
        #expect(dialled.nextTry(first, at: start) == start.advanced(by: .seconds(60)))
        for last in 2...8 as ClosedRange<UInt8> {
            #expect(dialled.begin(Self.ipv4([10, 0, 0, last]), at: start) == true)
        }
        let ninth = Self.ipv4([10, 0, 0, 9])
        #expect(dialled.begin(ninth, at: start) == false)
        dialled.end()
        #expect(dialled.begin(ninth, at: start) == true && dialled.underWay == 8)
        for _ in 0..<9 { dialled.end() }
        #expect(dialled.underWay == 0)
        #expect(dialled.begin(first, at: start.advanced(by: .milliseconds(59_999))) == false)
        #expect(dialled.begin(first, at: start.advanced(by: .seconds(60))) == true)
    }
}
