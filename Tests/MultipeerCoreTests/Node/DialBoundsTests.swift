import MultipeerCertificates
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

@testable import MultipeerCore

@Suite("Addresses to dial, SPEC §14.8")
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

    @Test("Neither the local host, nor multicast, nor nowhere, in any notation (R14.8-4)")
    func filter() {
        let rules = AddressRules()
        for address in [[10, 0, 0, 1], [192, 168, 1, 2], [8, 8, 8, 8], [255, 255, 255, 254], [1, 0, 0, 0]] as [[UInt8]]
        {
            for carrier in Self.carriers(address) {
                #expect(rules.allow(carrier, isFromThisHost: false), "\(carrier.value)")
            }
            #expect(!rules.allow(Self.ipv4(address, port: [0, 0]), isFromThisHost: false))
        }
        let refused: [[UInt8]] = [
            [0, 0, 0, 0], [0, 1, 2, 3], [127, 0, 0, 1], [127, 9, 9, 9], [224, 0, 0, 251], [239, 255, 255, 250],
            [255, 255, 255, 255], [169, 254, 7, 7],
        ]
        for address in refused {
            for carrier in Self.carriers(address) {
                #expect(!rules.allow(carrier, isFromThisHost: false), "\(carrier.value)")
            }
        }
        // ::/96 carries IPv4 as well: 0.0.0.2 and 127.0.0.1.
        for end in [[], [1], [2], [127, 0, 0, 1]] as [[UInt8]] {
            #expect(!rules.allow(Self.ipv6([], end), isFromThisHost: false))
        }
        #expect(!Self.allows(rules, Self.ipv6([0xFF, 2], [0xFB])) && Self.allows(rules, Self.ipv6([0x20, 1], [1])))
        for isFromThisHost in [false, true] {
            for (kind, value) in [(9, [1, 2, 3, 4, 5, 6]), (9, []), (1, [1])] as [(UInt8, [UInt8])] {
                #expect(!rules.allow(MemberAddress(kind: kind, value: value), isFromThisHost: isFromThisHost))
            }
        }
    }

    private static func allows(_ rules: AddressRules, _ address: MemberAddress) -> Bool {
        rules.allow(address, isFromThisHost: false)
    }

    @Test("The local host only if the entry came over a link within it (R14.8-4)")
    func thisHost() {
        let rules = AddressRules()
        let loopback = [
            Self.ipv4([127, 0, 0, 1]), Self.ipv4([127, 9, 9, 9]), Self.ipv6([], [1]),
            Self.ipv6([], [0xFF, 0xFF, 127, 0, 0, 1]),
        ]
        for address in loopback {
            #expect(!Self.allows(rules, address) && rules.allow(address, isFromThisHost: true), "\(address.value)")
        }
        let others = [
            Self.ipv4([127, 0, 0, 1], port: [0, 0]), Self.ipv4([0, 0, 0, 0]), Self.ipv4([224, 0, 0, 251]),
            Self.ipv4([169, 254, 7, 7]),
            Self.ipv6([0, 0x64, 0xFF, 0x9B], [127, 0, 0, 1]), Self.ipv6([], []), Self.ipv6([0xFF, 2], [0xFB]),
        ]
        for address in others { #expect(!rules.allow(address, isFromThisHost: true), "\(address.value)") }
        #expect(rules.allow(Self.ipv4([10, 0, 0, 1]), isFromThisHost: true))
    }

    @Test("Link-local addresses if the local host has one; all if the user allows it (R14.8-4)")
    func allowed() {
        var rules = AddressRules()
        let linkLocal = [Self.ipv4([169, 254, 7, 7]), Self.ipv6([0xFE, 0x80], [7]), Self.ipv6([0xFE, 0xBF], [7])]
        for address in linkLocal { #expect(!Self.allows(rules, address)) }
        // One of a family says nothing of the other: fe80:: does not make 169.254.169.254 a member's.
        rules.allowsLinkLocalIPv6 = true
        #expect(linkLocal.map { Self.allows(rules, $0) } == [false, true, true])
        (rules.allowsLinkLocalIPv4, rules.allowsLinkLocalIPv6) = (true, false)
        #expect(linkLocal.map { Self.allows(rules, $0) } == [true, false, false])
        rules.allowsLinkLocalIPv6 = true
        #expect(linkLocal.allSatisfy { Self.allows(rules, $0) })
        #expect(!Self.allows(rules, Self.ipv4([127, 0, 0, 1])))
        rules.allowsEveryAddress = true
        #expect(
            Self.allows(rules, Self.ipv4([127, 0, 0, 1]))
                && !Self.allows(rules, Self.ipv4([127, 0, 0, 1], port: [0, 0])))
    }

    /// An address of a member, which is a branch of its own.
    private static func target(
        _ address: MemberAddress, _ member: IdentityKey, of branch: IdentityKey? = nil, isFromThisHost: Bool = false
    ) -> DialTarget {
        DialTarget(address: address, member: member, branch: branch ?? member, isFromThisHost: isFromThisHost)
    }

    @Test("An address once in 60 s for each member, or in 15 s while its association waits (R14.8-5, R13.9-10)")
    func addresses() throws {
        let (ben, cleo) = (try Peers.key(2), try Peers.key(3))
        var bounds = DialBounds(rules: AddressRules())
        let address = Self.ipv4([10, 0, 0, 1])
        #expect(bounds.next(Self.target(address, ben), at: Self.start) == Self.start)
        bounds.begin(Self.target(address, ben), isKnown: true, at: Self.start)
        #expect(bounds.next(Self.target(address, ben), at: Self.start) == Self.start.advanced(by: .seconds(60)))
        #expect(bounds.next(Self.target(address, cleo), at: Self.start) == Self.start)
        let resuming = bounds.next(Self.target(address, ben), isResuming: true, at: Self.start)
        #expect(resuming == Self.start.advanced(by: .seconds(15)))
        let later = Self.start.advanced(by: .seconds(60))
        #expect(bounds.next(Self.target(address, ben), at: later) == later)
        let local = Self.ipv4([127, 0, 0, 1])
        #expect(bounds.next(Self.target(local, ben), at: Self.start) == nil)
        #expect(bounds.next(Self.target(local, ben, isFromThisHost: true), at: Self.start) == Self.start)
    }

    @Test(
        "A host 16 times in 60 s, in any port and notation; local and allowed hosts are exempt (R14.8-5)",
        arguments: [false, true], [false, true])
    func hosts(allowsEvery: Bool, isThisHost: Bool) throws {
        var rules = AddressRules()
        rules.allowsEveryAddress = allowsEvery
        var bounds = DialBounds(rules: rules)
        let host: [UInt8] = isThisHost ? [127, 0, 0, 1] : [10, 0, 0, 1]
        for index in 0..<16 as Range<UInt8> {
            let address = index % 2 == 0 ? Self.ipv4(host, port: [1, index]) : Self.carriers(host)[1]
            let target = Self.target(address, try Peers.key(100 + UInt64(index)), isFromThisHost: isThisHost)
            #expect(bounds.next(target, at: Self.start) == Self.start)
            bounds.begin(target, isKnown: true, at: Self.start)
            bounds.end(isKnown: true)
        }
        let next = bounds.next(
            Self.target(Self.ipv4(host, port: [9, 9]), try Peers.key(2), isFromThisHost: isThisHost), at: Self.start)
        let isCounted = !allowsEvery && !isThisHost
        #expect(next == (isCounted ? Self.start.advanced(by: .seconds(60)) : Self.start))
        #expect(bounds.next(Self.target(Self.ipv4([10, 0, 0, 2]), try Peers.key(2)), at: Self.start) == Self.start)
    }

    @Test("240 addresses in 60 s, over all hosts and members (R14.8-5)")
    func inAll() throws {
        var bounds = DialBounds(rules: AddressRules())
        let member = try Peers.key(2)
        for index in 0..<240 as Range<UInt8> {
            let target = Self.target(Self.ipv4([10, 0, 1, index]), member)
            #expect(bounds.next(target, at: Self.start) == Self.start)
            bounds.begin(target, isKnown: true, at: Self.start)
            bounds.end(isKnown: true)
        }
        let more = Self.target(Self.ipv4([10, 0, 2, 1]), try Peers.key(3))
        #expect(bounds.next(more, at: Self.start) == Self.start.advanced(by: .seconds(60)))
    }

    @Test("Eight attempts at once, four of them for members that were never linked (R14.8-5)")
    func atOnce() throws {
        var bounds = DialBounds(rules: AddressRules())
        let member = try Peers.key(2)
        func begin(isKnown: Bool) {
            bounds.begin(Self.target(Self.ipv4([10, 0, 0, 1]), member), isKnown: isKnown, at: Self.start)
        }
        for _ in 0..<4 { begin(isKnown: false) }
        #expect(!bounds.hasRoom(isKnown: false) && bounds.hasRoom(isKnown: true))
        for _ in 0..<4 { begin(isKnown: true) }
        #expect(!bounds.hasRoom(isKnown: true))
        bounds.end(isKnown: false)
        #expect(bounds.hasRoom(isKnown: true) && bounds.hasRoom(isKnown: false))
    }
}

@Suite("Hosts after failed attempts, SPEC §14.8")
struct HostRestsTests {
    private static func at(_ seconds: Int64) -> Instant { DialBoundsTests.start.advanced(by: .seconds(seconds)) }

    @Test(
        "Eight attempts, then pauses of 60 s, 120 s, … an hour; an hour after the last one it starts afresh (R14.8-8)")
    func pauses() throws {
        let site = HostRests.Site(host: .ipv4([10, 0, 0, 1]), branch: try Peers.key(2))
        var rests = HostRests()
        for _ in 0..<7 {
            rests.begin(site, at: Self.at(0))
            #expect(rests.next(site) == Self.at(0))
        }
        var (now, pauses): (Instant, [Int64]) = (Self.at(0), [])
        for _ in 0..<8 {
            rests.begin(site, at: now)
            let next = try #require(rests.next(site))
            pauses.append(next.duration(since: now).components.seconds)
            now = next
        }
        #expect(pauses == [60, 120, 240, 480, 960, 1_920, 3_600, 3_600])
        let other = HostRests.Site(host: .ipv4([10, 0, 0, 1]), branch: try Peers.key(3))
        #expect(rests.next(other) == nil)
        rests.begin(site, at: now.advanced(by: .seconds(3_599)))
        #expect(rests.next(site) == now.advanced(by: .seconds(2 * 3_600 - 1)))
        let later = now.advanced(by: .seconds(3 * 3_600))
        rests.begin(site, at: later)
        #expect(rests.next(site) == later)
    }

    @Test("A successful link ends the pauses (R14.8-8)")
    func reached() throws {
        let site = HostRests.Site(host: .ipv4([10, 0, 0, 1]), branch: try Peers.key(2))
        var rests = HostRests()
        for _ in 0..<9 { rests.begin(site, at: Self.at(0)) }
        #expect(rests.next(site) == Self.at(120))
        rests.reached(site)
        #expect(rests.next(site) == nil && rests.count == 0)
    }

    @Test("If there are many hosts, the oldest are forgotten")
    func bounded() throws {
        let branch = try Peers.key(2)
        var rests = HostRests()
        for index in 0...HostRests.most {
            let host = Host.ipv4([10, UInt8(index >> 16), UInt8(index >> 8 & 0xFF), UInt8(index & 0xFF)])
            rests.begin(HostRests.Site(host: host, branch: branch), at: Self.at(Int64(index)))
        }
        #expect(rests.count <= 3_601)
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
        plan.roundFailed(at: Self.at(4))
        #expect(plan.due == Self.at(60), "it counts from the beginning of the round")
        plan.renew()
        var (now, pauses): (Instant, [Int64]) = (Self.start, [])
        for _ in 0..<8 {
            plan.roundFailed(at: now)
            guard let due = plan.due else { return }
            pauses.append(due.duration(since: now).components.seconds)
            now = due
        }
        #expect(pauses == [60, 120, 240, 480, 960, 1_920, 3_600, 3_600])
    }

    @Test("A link, an INVITE or the app starts afresh; a new run of the member does so once an hour (R14.8-6)")
    func anew() {
        var plan = DialPlan()
        plan.roundFailed(at: Self.start)
        plan.rest()
        plan.want(from: Self.start)
        #expect(plan.due == Self.at(60), "a request does not make it sooner")
        plan.renew()
        plan.want(from: Self.start)
        #expect(plan.due == Self.start)
        for (time, expected) in [(0, 0), (3_599, 3_659), (3_600, 3_600)] as [(Int64, Int64)] {
            plan.roundFailed(at: Self.at(time))
            _ = plan.renewForNewRun(at: Self.at(time))
            plan.rest()
            plan.want(from: Self.at(time))
            #expect(plan.due == Self.at(expected))
        }
    }
}
