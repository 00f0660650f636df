internal import MultipeerCrypto
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `node/dialling`: which members a member dials, where and when (SPEC §14.8).
struct DiallingScripts {
    let subject: SwiftSubject
    private typealias Wire = WireBytes
    private typealias World = NodeWorld

    func write() throws -> NodeWriter {
        let scripts = try NodeWriter("dialling", section: "14.8", subject: subject)
        try turns(scripts)
        try reached(scripts)
        try addresses(scripts)
        try rounds(scripts)
        try bounds(scripts)
        try hosts(scripts)
        try within(scripts)
        return scripts
    }

    private static func word(_ address: MemberAddress) -> String { "dial " + Hexadecimal.encode(address.value) }
    private static let one = World.address(1)
    private static let first = word(one)

    private func turns(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let (lesser, greater) = (world.lesser[0], world.greater[0])
        let here = [World.address(200)]
        try scripts.works(
            "the lesser key dials at once", [],
            NodeSetting(who: world.me, addresses: here, entries: [try world.entry(greater, at: [Self.one])])
        ) { try $0.hear(Self.first) }
        try scripts.works(
            "the greater key dials 500 ms later", [],
            NodeSetting(who: world.me, addresses: here, entries: [try world.entry(lesser, at: [Self.one])])
        ) { try $0.hear([]).clock(499).hear([]).clock(1).hear(Self.first) }
        try scripts.works(
            "the greater key dials at once if nobody can dial it", [],
            NodeSetting(who: world.me, entries: [try world.entry(lesser, at: [Self.one])])
        ) { try $0.hear(Self.first) }
        try scripts.works(
            "who has left, and who has no address, is not dialled", ["R14.9-1"],
            NodeSetting(
                who: world.me,
                entries: [try world.entry(lesser), try world.entry(greater, presence: 0, at: [Self.one])])
        ) { try $0.hear([]).clock(60_000).hear([]) }
        try scripts.works(
            "the other has linked meanwhile", ["R14.8-2"],
            NodeSetting(who: world.me, addresses: here, entries: [try world.entry(lesser, at: [Self.one])])
        ) {
            try $0.hear([]).links(1, lesser).hear("1 ACCEPT", "1 CERTIFICATES", "1 READY", "1 ROSTER", "connected")
            try $0.clock(500).hear([])
        }
        try scripts.works("a member that an entry tells of is dialled", [], NodeSetting(who: world.me)) {
            try $0.links(1, lesser, entry: try world.entry(lesser)).hear()
            try $0.sends(1, Wire.roster([try world.entry(greater, at: [Self.one])])).hear(Self.first)
        }
    }

    private func reached(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let (member, stranger) = (world.greater[0], world.greater[1])
        let setting = NodeSetting(who: world.me, entries: [try world.entry(member, at: [Self.one])])
        try scripts.works("what is dialled becomes an INVITE of kind 2, behind PROOF", ["R14.8-1"], setting) {
            try $0.hear(Self.first).reaches(1, member, at: Self.one).hear("1 PROOF", "1 INVITE")
            try $0.accepts(1).hear("1 CERTIFICATES", "1 READY", "1 ROSTER", "connected")
        }
        try scripts.works(
            "another peer answers at the member's address: it learns nothing, and nobody is blamed",
            ["R14.8-1", "R9.5-4", "R14.9-2"], flags: ["MisboundKey"], setting
        ) {
            try $0.hear(Self.first).reaches(1, stranger, at: Self.one).hear("1 CLOSE unexpected_identity")
            try $0.clock(59_999).hear([]).clock(1).hear(Self.first)
        }
        let two = [Self.one, World.address(2)]
        try scripts.works(
            "two of its addresses answer: the link of the first PROOF continues, the other one gets none", ["R14.8-7"],
            NodeSetting(who: world.me, entries: [try world.entry(member, at: two)])
        ) {
            try $0.hear(Self.first).clock(250).hear(Self.word(two[1]))
            try $0.reaches(1, member, at: two[0], silent: true).reaches(2, member, at: two[1], silent: true).hear([])
            try $0.proves(2).hear("2 PROOF", "2 INVITE").proves(1).hear([])
            try $0.accepts(2).hear("2 CERTIFICATES", "2 READY", "2 ROSTER", "connected")
        }
    }

    private func addresses(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let member = world.greater[0]
        func v4(_ bytes: [UInt8], port: UInt16 = 4_711) -> MemberAddress {
            MemberAddress(kind: MemberAddress.ipv4, value: bytes + WireBytes.u16(port))
        }
        func v6(_ head: [UInt8], _ tail: [UInt8]) -> MemberAddress {
            let zeros = [UInt8](repeating: 0, count: 16 - head.count - tail.count)
            return MemberAddress(kind: MemberAddress.ipv6, value: head + zeros + tail + WireBytes.u16(4_711))
        }
        let lists: [(String, [MemberAddress])] = [
            (
                "IPv4",
                [
                    v4([0, 0, 0, 0]), v4([127, 0, 0, 1]), v4([224, 0, 0, 251]), v4([255, 255, 255, 255]),
                    v4([0, 1, 2, 3]), v4([192, 0, 2, 7], port: 0), v4([169, 254, 1, 1]),
                ]
            ),
            (
                "IPv6",
                [v6([], []), v6([], [1]), v6([0xFF, 0x02], [0xFB]), v6([0xFE, 0x80], [1])]
            ),
            (
                "IPv4 within IPv6",
                [
                    v6([], [127, 0, 0, 1]), v6([], [0xFF, 0xFF, 127, 0, 0, 1]),
                    v6([0, 0x64, 0xFF, 0x9B], [127, 0, 0, 1]), v6([0x20, 0x02, 127, 0, 0, 1], [1]),
                ]
            ),
            ("of kinds that nobody knows", [MemberAddress(kind: 9, value: [192, 0, 2, 7, 0x12, 0x67])]),
        ]
        for (name, bad) in lists {
            try scripts.works(
                "addresses that are not dialled: \(name)", ["R14.8-4"],
                NodeSetting(who: world.me, entries: [try world.entry(member, at: bad + [Self.one])])
            ) { try $0.hear(Self.first).clock(5_000).hear([]) }
        }
        try scripts.works(
            "addresses are tried 250 ms apart, whatever has become of the one before", [],
            NodeSetting(
                who: world.me, entries: [try world.entry(member, at: [Self.one, World.address(2), World.address(3)])])
        ) {
            try $0.hear(Self.first).fails(Self.one).hear([]).clock(249).hear([]).clock(1)
                .hear(Self.word(World.address(2))).clock(250).hear(Self.word(World.address(3)))
        }
    }

    private func rounds(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let (member, neighbour) = (world.greater[0], world.lesser[0])
        let setting = NodeSetting(who: world.me, entries: [try world.entry(member, at: [Self.one])])
        func waits(_ script: NodeScript, _ seconds: Int) throws {
            try script.fails(Self.one).hear([]).clock(seconds * 1_000 - 1).hear([]).clock(1).hear(Self.first)
        }
        try scripts.works("the times between rounds grow twofold, up to an hour", ["R14.8-6", "R14.8-5"], setting) {
            try $0.hear(Self.first)
            for seconds in [60, 120, 240, 480, 960, 1_920, 3_600, 3_600] { try waits($0, seconds) }
        }
        try scripts.works("a greater instance begins anew, once an hour at most", ["R14.8-6"], setting) {
            func tells(_ instance: UInt64) throws -> [UInt8] {
                Wire.roster([try world.entry(member, instance: instance, at: [Self.one])])
            }
            // The neighbour is no neighbour that would be asked every 30 s: its own entry does not come.
            try $0.hear(Self.first).links(1, neighbour).hear()
            try waits($0, 60)
            try $0.fails(Self.one).hear([]).clock(65_000).sends(1, try tells(World.instance + 1)).hear(Self.first)
            try waits($0, 60)
            try $0.fails(Self.one).hear([]).clock(65_000).sends(1, try tells(World.instance + 2)).hear([])
            try $0.clock(54_999).hear([]).clock(1).hear(Self.first)
        }
        try scripts.works(
            "the app asks: the pauses begin anew, but no address is tried twice in 60 s", ["R14.8-6", "R14.8-5"],
            setting
        ) {
            try $0.hear(Self.first)
            try waits($0, 60)
            try $0.fails(Self.one).clock(30_000).app("dial", nil, member).hear([]).clock(29_999).hear([]).clock(1)
                .hear(Self.first)
            try waits($0, 60)
        }
        try scripts.works("an INVITE of the member begins anew", ["R14.8-6"], setting) {
            try $0.hear(Self.first)
            try waits($0, 60)
            try $0.fails(Self.one).clock(65_000).hear([])
            try $0.links(1, member).hear().ends(1).hear("departed lost", Self.first)
        }
    }

    private func bounds(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let crowd = Array(world.greater[..<17])
        let many = try crowd[..<5].enumerated().map { index, who in
            try world.entry(who, at: [World.address(UInt8(index + 1))])
        }
        try scripts.works(
            "four attempts at once for members that were never linked", ["R14.8-5"],
            NodeSetting(who: world.me, entries: many)
        ) {
            let words = (1...4).map { Self.word(World.address(UInt8($0))) }
            try $0.hear(words).clock(1_000).hear([]).fails(World.address(2)).hear([])
            try $0.clock(2_999).hear([]).clock(1).hear(Self.word(World.address(5)))
        }
        try scripts.works(
            "eight attempts at once for members that were linked", ["R14.8-5"], NodeSetting(who: world.me)
        ) {
            let nine = (1...9).map { (link: $0, address: World.address(UInt8($0))) }
            for (link, address) in nine {
                let who = crowd[link - 1]
                try $0.links(link, who, entry: try world.entry(who, at: [address])).hear()
            }
            for (link, address) in nine.dropLast() { try $0.ends(link).hear("departed lost", Self.word(address)) }
            try $0.ends(9).hear("departed lost").clock(3_999).hear([])
        }
        try scripts.works(
            "an attempt counts for 4 s, whatever becomes of it: refused, answered by somebody else, or not needed any more",
            ["R14.8-5"], flags: ["MisboundKey"], NodeSetting(who: world.me, entries: many)
        ) {
            let words = (1...4).map { Self.word(World.address(UInt8($0))) }
            try $0.hear(words).clock(100).fails(World.address(1)).hear([])
            try $0.reaches(1, crowd[4], at: World.address(2)).hear("1 CLOSE unexpected_identity")
            try $0.clock(3_899).hear([]).clock(1).hear(Self.word(World.address(5)))
        }
        try scripts.works(
            "the expected PROOF gives the place back at once", ["R14.8-5"], NodeSetting(who: world.me, entries: many)
        ) {
            let words = (1...4).map { Self.word(World.address(UInt8($0))) }
            try $0.hear(words).clock(100).reaches(1, crowd[1], at: World.address(2))
                .hear("1 PROOF", "1 INVITE", Self.word(World.address(5)))
        }
        let ports = try crowd.enumerated().map { index, who in
            try world.entry(who, at: [World.address(1, port: UInt16(5_000 + index))])
        }
        try scripts.works(
            "one host, whatever the port, 16 times in 60 s, by however many branches", ["R14.8-5"],
            NodeSetting(who: world.me, entries: ports)
        ) {
            func word(_ index: Int) -> String { Self.word(World.address(1, port: UInt16(5_000 + index))) }
            for first in stride(from: 0, to: 16, by: 4) {
                try $0.hear((first..<first + 4).map(word)).clock(3_999).hear([]).clock(1)
            }
            try $0.hear([]).clock(43_999).hear([])
        }
    }

    /// Members that one of them has admitted, and that all list one host.
    private func hosts(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let crowd = Array(world.greater[1..<13])
        func word(_ index: Int) -> String { Self.word(World.address(1, port: UInt16(5_000 + index))) }
        let entries = try crowd.enumerated().map { index, who in
            try world.entry(who, at: [World.address(1, port: UInt16(5_000 + index))], via: [world.greater[0]])
        }
        let setting = NodeSetting(who: world.me, entries: entries)
        try scripts.works(
            "a host where nobody of a branch was found rests for that branch, whoever lists it", ["R14.8-8"], setting
        ) {
            try $0.hear((0..<4).map(word)).clock(3_999).hear([]).clock(1).hear((4..<8).map(word))
            try $0.clock(59_999).hear([]).clock(1).hear(word(8)).clock(119_999).hear([]).clock(1).hear(word(9))
            try $0.clock(239_999).hear([]).clock(1).hear(word(10))
        }
        try scripts.works(
            "a PROOF of the member that is expected ends the rests of its host", ["R14.8-8"], setting
        ) {
            try $0.hear((0..<4).map(word)).clock(4_000).hear((4..<8).map(word))
            try $0.reaches(1, crowd[4], at: World.address(1, port: 5_004)).hear("1 PROOF", "1 INVITE", word(8))
        }
        try scripts.works(
            "other branches are not affected", ["R14.8-8"],
            NodeSetting(
                who: world.me,
                entries: entries + [try world.entry(world.greater[13], at: [World.address(1, port: 6_000)])])
        ) {
            try $0.hear((0..<4).map(word)).clock(4_000).hear((4..<8).map(word)).clock(4_000)
                .hear(Self.word(World.address(1, port: 6_000)))
        }
        try scripts.works("the app asks for a member of the branch that lists the host", ["R14.8-8"], setting) {
            try $0.hear((0..<4).map(word)).clock(4_000).hear((4..<8).map(word)).clock(4_000).hear([])
                .app("dial", nil, crowd[9]).hear(word(9))
        }
    }

    /// Loopback addresses, which mean another host to a peer elsewhere.
    private func within(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let (neighbour, member) = (world.lesser[0], world.greater[0])
        let local = MemberAddress(kind: MemberAddress.ipv4, value: [127, 0, 0, 1] + WireBytes.u16(4_711))
        let mapped = MemberAddress(
            kind: MemberAddress.ipv6, value: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + local.value)
        let one = MemberAddress(
            kind: MemberAddress.ipv6, value: [UInt8](repeating: 0, count: 15) + [1] + WireBytes.u16(4_711))
        let setting = NodeSetting(who: world.me)
        let roster = WireBytes.roster([try world.entry(member, at: [local, mapped, one])])
        try scripts.works("loopback addresses of an entry that came from elsewhere", ["R14.8-4"], setting) {
            try $0.links(1, neighbour, entry: try world.entry(neighbour)).hear()
            try $0.sends(1, roster).hear([]).clock(5_000).hear([])
        }
        try scripts.works("loopback addresses of an entry that came over a link within the host", ["R14.8-4"], setting)
        {
            try $0.links(1, neighbour, entry: try world.entry(neighbour), withinHost: true).hear()
            try $0.sends(1, roster).hear(Self.word(local)).clock(250).hear(Self.word(mapped)).clock(250)
                .hear(Self.word(one))
        }
        try scripts.works(
            "the same entry comes again over a link within the host", ["R14.8-4"], setting
        ) {
            try $0.links(1, neighbour, entry: try world.entry(neighbour)).hear().sends(1, roster).hear([])
            let other = world.lesser[1]
            try $0.links(2, other, entry: try world.entry(other), withinHost: true).hear()
            try $0.sends(2, roster).hear(Self.word(local))
        }
        try scripts.works(
            "an entry that came over a link within the host is followed by one from elsewhere", ["R14.8-4"], setting
        ) {
            try $0.links(1, neighbour, entry: try world.entry(neighbour), withinHost: true).hear()
            let other = world.lesser[1]
            try $0.links(2, other, entry: try world.entry(other)).hear()
            try $0.sends(1, WireBytes.roster([try world.entry(member)])).hear([])
            try $0.sends(2, WireBytes.roster([try world.entry(member, sequence: 2, at: [local])])).hear([])
                .clock(5_000).hear([])
        }
        let carried = MemberAddress(
            kind: MemberAddress.ipv6,
            value: [0, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8) + local.value)
        try scripts.works(
            "a link within the host lets loopback addresses through, and nothing else", ["R14.8-4"], setting
        ) {
            try $0.links(1, neighbour, entry: try world.entry(neighbour), withinHost: true).hear()
            let bad = [carried, MemberAddress(kind: MemberAddress.ipv4, value: [0, 0, 0, 0] + WireBytes.u16(4_711))]
            try $0.sends(1, WireBytes.roster([try world.entry(member, at: bad)])).hear([]).clock(5_000).hear([])
        }
    }
}
