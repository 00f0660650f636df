import MultipeerCertificates
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

@testable import MultipeerCore

@Suite("Addresses that are dialled, SPEC §14.8")
struct DialBoundsTests {
    static let start = KeepAliveTests.start

    static func ipv4(_ address: [UInt8], port: [UInt8] = [0x12, 0x67]) -> MemberAddress {
        MemberAddress(kind: MemberAddress.ipv4, value: address + port)
    }

    static func ipv6(_ beginning: [UInt8], _ end: [UInt8]) -> MemberAddress {
        let zeros = [UInt8](repeating: 0, count: 16 - beginning.count - end.count)
        return MemberAddress(kind: MemberAddress.ipv6, value: beginning + zeros + end + [0x12, 0x67])
    }

    /// An IPv4 address, and the IPv6 ones that carry it.
    private static func carriers(_ address: [UInt8]) -> [MemberAddress] {
        [
            ipv4(address), ipv6([], [0xFF, 0xFF] + address), ipv6([0, 0x64, 0xFF, 0x9B], address),
            ipv6([0x20, 0x02] + address, [1]),
        ]
    }

    @Test("Neither this host, nor many, nor nowhere, in whatever clothes (R14.8-4)")
    func filter() {
        let rules = AddressRules()
        for address in [[10, 0, 0, 1], [192, 168, 1, 2], [8, 8, 8, 8], [255, 255, 255, 254], [1, 0, 0, 0]] as [[UInt8]]
        {
            for carrier in Self.carriers(address) { #expect(rules.allow(carrier), "\(carrier.value)") }
            #expect(!rules.allow(Self.ipv4(address, port: [0, 0])))
        }
        let refused: [[UInt8]] = [
            [0, 0, 0, 0], [0, 1, 2, 3], [127, 0, 0, 1], [127, 9, 9, 9], [224, 0, 0, 251], [239, 255, 255, 250],
            [255, 255, 255, 255], [169, 254, 7, 7],
        ]
        for address in refused {
            for carrier in Self.carriers(address) { #expect(!rules.allow(carrier), "\(carrier.value)") }
        }
        // ::/96 carries IPv4 as well: 0.0.0.2 and 127.0.0.1.
        for end in [[], [1], [2], [127, 0, 0, 1]] as [[UInt8]] { #expect(!rules.allow(Self.ipv6([], end))) }
        #expect(!rules.allow(Self.ipv6([0xFF, 2], [0xFB])) && rules.allow(Self.ipv6([0x20, 1], [1])))
        #expect(!rules.allow(MemberAddress(kind: 9, value: [1, 2, 3, 4, 5, 6])))
        #expect(!rules.allow(MemberAddress(kind: 9, value: [])) && !rules.allow(MemberAddress(kind: 1, value: [1])))
    }

    @Test("Link-local ones where this side has one itself; all where its user says so (R14.8-4)")
    func allowed() {
        var rules = AddressRules()
        let linkLocal = [Self.ipv4([169, 254, 7, 7]), Self.ipv6([0xFE, 0x80], [7]), Self.ipv6([0xFE, 0xBF], [7])]
        for address in linkLocal { #expect(!rules.allow(address)) }
        rules.allowsLinkLocal = true
        for address in linkLocal { #expect(rules.allow(address)) }
        #expect(!rules.allow(Self.ipv4([127, 0, 0, 1])))
        rules.allowsEveryAddress = true
        #expect(rules.allow(Self.ipv4([127, 0, 0, 1])) && !rules.allow(Self.ipv4([127, 0, 0, 1], port: [0, 0])))
    }

    @Test("An address once in 60 s for each member (R14.8-5)")
    func addresses() throws {
        let (ben, cleo) = (try Peers.key(2), try Peers.key(3))
        var bounds = DialBounds(rules: AddressRules())
        let address = Self.ipv4([10, 0, 0, 1])
        #expect(bounds.next(address, for: ben, at: Self.start) == Self.start)
        bounds.begin(address, for: ben, isKnown: true, at: Self.start)
        #expect(bounds.next(address, for: ben, at: Self.start) == Self.start.advanced(by: .seconds(60)))
        #expect(bounds.next(address, for: cleo, at: Self.start) == Self.start)
        let later = Self.start.advanced(by: .seconds(60))
        #expect(bounds.next(address, for: ben, at: later) == later)
        #expect(bounds.next(Self.ipv4([127, 0, 0, 1]), for: ben, at: Self.start) == nil)
    }

    @Test("A host 16 times in 60 s, whatever the port and the clothes; not one that the user allows (R14.8-5)")
    func hosts() throws {
        var every = AddressRules()
        every.allowsEveryAddress = true
        for rules in [AddressRules(), every] {
            var bounds = DialBounds(rules: rules)
            for index in 0..<16 as Range<UInt8> {
                let address =
                    index % 2 == 0 ? Self.ipv4([10, 0, 0, 1], port: [1, index]) : Self.carriers([10, 0, 0, 1])[1]
                let member = try Peers.key(100 + UInt64(index))
                #expect(bounds.next(address, for: member, at: Self.start) == Self.start)
                bounds.begin(address, for: member, isKnown: true, at: Self.start)
                bounds.end(isKnown: true)
            }
            let next = bounds.next(Self.ipv4([10, 0, 0, 1], port: [9, 9]), for: try Peers.key(2), at: Self.start)
            #expect(next == (rules == every ? Self.start : Self.start.advanced(by: .seconds(60))))
            let other = bounds.next(Self.ipv4([10, 0, 0, 2]), for: try Peers.key(2), at: Self.start)
            #expect(other == Self.start)
        }
    }

    @Test("Eight attempts at once, four of them for members that were never linked (R14.8-5)")
    func atOnce() throws {
        var bounds = DialBounds(rules: AddressRules())
        let member = try Peers.key(2)
        func begin(isKnown: Bool) {
            bounds.begin(Self.ipv4([10, 0, 0, 1]), for: member, isKnown: isKnown, at: Self.start)
        }
        for _ in 0..<4 { begin(isKnown: false) }
        #expect(!bounds.hasRoom(isKnown: false) && bounds.hasRoom(isKnown: true))
        for _ in 0..<4 { begin(isKnown: true) }
        #expect(!bounds.hasRoom(isKnown: true))
        bounds.end(isKnown: false)
        #expect(bounds.hasRoom(isKnown: true) && bounds.hasRoom(isKnown: false))
    }
}

@Suite("When members are dialled, SPEC §14.8")
struct DialPlanTests {
    static let start = KeepAliveTests.start
    private static func at(_ seconds: Int64) -> Instant { start.advanced(by: .seconds(seconds)) }

    @Test("Addresses are tried 250 ms apart, and rounds 60 s, 120 s, … an hour (R14.8-6)")
    func rounds() {
        var plan = DialPlan()
        plan.want(from: Self.start)
        #expect(plan.due == Self.start && plan.index == 0)
        plan.tried(of: 2, at: Self.start)
        #expect(plan.due == Self.start.advanced(by: .milliseconds(250)) && plan.index == 1)
        plan.tried(of: 2, at: Self.start)
        #expect(plan.due == nil && plan.tries == 2 && plan.hasTried)
        var (now, pauses): (Instant, [Int64]) = (Self.start, [])
        for _ in 0..<8 {
            plan.roundFailed(at: now)
            guard let due = plan.due else { return }
            pauses.append(due.duration(since: now).components.seconds)
            now = due
        }
        #expect(pauses == [60, 120, 240, 480, 960, 1_920, 3_600, 3_600])
    }

    @Test("A link, an INVITE or the app begins anew; a new run of the member does so once an hour (R14.8-6)")
    func anew() {
        var plan = DialPlan()
        plan.roundFailed(at: Self.start)
        plan.rest()
        plan.want(from: Self.start)
        #expect(plan.due == Self.at(60), "wanting it does not make it sooner")
        plan.renew()
        plan.want(from: Self.start)
        #expect(plan.due == Self.start)
        for (time, expected) in [(0, 0), (3_599, 3_659), (3_600, 3_600)] as [(Int64, Int64)] {
            plan.roundFailed(at: Self.at(time))
            plan.renewForNewRun(at: Self.at(time))
            plan.rest()
            plan.want(from: Self.at(time))
            #expect(plan.due == Self.at(expected))
        }
    }
}
