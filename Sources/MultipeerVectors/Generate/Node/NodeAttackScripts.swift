internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `node/attacks`: members and strangers that do not keep to the rules. The node continues, and the others are
/// unharmed.
struct NodeAttackScripts {
    let subject: SwiftSubject
    private typealias Wire = WireBytes
    private static let here = NodeWorld.address(1)
    private static let misbehaved = ["1 CLOSE entry_invalid", "departed misbehaved"]

    func write() throws -> NodeWriter {
        let scripts = try NodeWriter("attacks", section: "14.3", subject: subject)
        try strangers(scripts)
        try entries(scripts)
        try contradictions(scripts)
        try replays(scripts)
        try sizes(scripts)
        try impostors(scripts)
        return scripts
    }

    /// A neighbour, and the attacker with an own entry.
    private func begin(_ script: NodeScript) throws {
        let (attacker, neighbour) = (script.world.lesser[0], script.world.lesser[1])
        try script.links(1, attacker, entry: try script.world.entry(attacker)).hear()
        try script.links(2, neighbour, entry: try script.world.entry(neighbour)).hear()
    }

    private func strangers(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let (stranger, member) = (world.lesser[0], world.lesser[1])
        let setting = NodeSetting(who: world.me)
        func invites(_ chain: [UInt8], kind: UInt8 = 2) -> [UInt8] {
            Wire.invite(
                charter: world.community.charter, sessionKind: kind, preference: 2, fields: Wire.field(2, chain))
        }
        let own = try world.community.admission(of: stranger.key, by: stranger)
        for (comment, chain) in [
            ("an admission of its own", own), ("no admission", []),
            ("the admission of somebody else", try world.chain(member)),
            (
                "an admission by a member that was not admitted",
                try world.community.admission(of: stranger.key, by: member)
                    + (try world.community.admission(of: member.key, by: stranger))
            ),
            (
                "an admission to another session",
                try world.community.admission(
                    of: stranger.key, by: world.founder, session: world.samples.bytes32("another session"))
            ),
        ] {
            try scripts.works(
                "a stranger invites as a member, by \(comment)", ["R8.2-8", "R14.2-1"], flags: ["WrongChain"],
                section: "14.2", setting
            ) { try $0.connects(1, stranger).sends(1, invites(chain)).hear("1 CLOSE entry_invalid") }
        }
        try scripts.works(
            "a stranger invites to join, by the admission of somebody else", ["R8.2-8"], flags: ["WrongChain"],
            section: "14.2", NodeSetting(who: world.me, isMember: false)
        ) {
            try $0.connects(1, stranger).sends(1, invites(try world.chain(member), kind: 0)).hear(
                "1 CLOSE entry_invalid")
        }
        try scripts.works(
            "who was invited sends ADMIT", ["R14.5-1"], flags: ["UnexpectedFrame"], section: "14.5", setting
        ) {
            try $0.joins(1, stranger).hear()
            try $0.sends(1, Wire.admit(try world.chain(world.me))).hear(
                "1 CLOSE unexpected_frame", "departed misbehaved")
        }
        try scripts.works(
            "a member that links sends ADMIT", ["R14.5-1"], flags: ["UnexpectedFrame"], section: "14.5", setting
        ) {
            try $0.links(1, member).hear()
            try $0.sends(1, Wire.admit(try world.chain(world.me))).hear(
                "1 CLOSE unexpected_frame", "departed misbehaved")
        }
    }

    private func entries(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let victim = world.greater[0]
        let setting = NodeSetting(who: world.me)
        let attacker = world.lesser[0]
        let content = Community.Content(name: [], chain: try world.chain(victim)).bytes(victim.key)
        let signed = world.community.signed("roster entry", content)
        let forged = content + (try world.community.sign(signed, attacker.seed))
        let elsewhere = try world.community.entry(
            victim, Community.Content(name: [], chain: try world.chain(victim)),
            session: world.samples.bytes32("another session"))
        let unadmitted = try world.community.entry(
            victim, Community.Content(name: [], chain: try world.community.admission(of: victim.key, by: attacker)))
        for (comment, flag, entry) in [
            ("an entry that the attacker has signed for another one", "MisboundKey", forged),
            ("an entry of another session", "WrongTranscript", elsewhere),
            ("an entry of somebody whom the attacker alone admitted", "WrongChain", unadmitted),
        ] {
            try scripts.works(
                "\(comment): the sender has not checked it", ["R14.3-2", "R14.9-4"], flags: [flag], setting
            ) {
                try begin($0)
                try $0.sends(1, Wire.roster([entry])).hear(Self.misbehaved)
                try $0.sends(2, Wire.digest($0.lastDigest)).hear([])
            }
        }
        try scripts.works(
            "entries before a forged one are kept, and those behind it are not looked at", ["R14.5-3", "R14.3-2"],
            flags: ["MisboundKey"], setting
        ) {
            try begin($0)
            let (before, behind) = (try world.entry(world.lesser[2]), try world.entry(world.greater[5]))
            try $0.sends(1, Wire.roster([before, forged, behind])).hear(Self.misbehaved)
        }
        try scripts.works(
            "an entry that does not verify says that the local member has left", ["R14.3-2", "R14.7-2"],
            flags: ["BadSignature"], setting
        ) {
            try begin($0)
            let own = try world.entry(world.me, sequence: 1, presence: 0, name: "Me")
            try $0.sends(1, Wire.roster([world.spoiled(own)])).hear(Self.misbehaved)
        }
    }

    private func contradictions(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let liar = world.greater[0]
        let setting = NodeSetting(who: world.me)
        try scripts.works(
            "two entries under one number: told once, and no fault of who passes them on", ["R14.4-2"],
            flags: ["Contradiction"], section: "14.4", setting
        ) {
            try begin($0)
            try $0.sends(1, Wire.roster([try world.entry(liar, name: "One")])).hear([])
            try $0.sends(2, Wire.roster([try world.entry(liar, name: "Other")])).hear("contradiction")
            try $0.sends(1, Wire.roster([try world.entry(liar, name: "Third")])).hear([])
        }
        try scripts.works(
            "the member contradicts itself on its own link", ["R14.4-2"], flags: ["Contradiction"], section: "14.4",
            setting
        ) {
            try $0.links(1, liar, entry: try world.entry(liar, name: "One")).hear()
            try $0.sends(1, Wire.roster([try world.entry(liar, name: "Other")])).hear()
        }
        try scripts.works(
            "a forged contradiction is none", ["R14.4-2", "R14.3-2"], flags: ["BadSignature"], section: "14.4", setting
        ) {
            try begin($0)
            try $0.sends(1, Wire.roster([try world.entry(liar, name: "One")])).hear([])
            let other = try world.entry(liar, name: "Other")
            try $0.sends(1, Wire.roster([world.spoiled(other)])).hear(Self.misbehaved)
        }
    }

    private func replays(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let victim = world.greater[0]
        let present = try world.entry(victim, at: [Self.here])
        let left = try world.entry(victim, sequence: 1, presence: 0, at: [Self.here])
        try scripts.works(
            "an old entry of one who has left: it stays gone", ["R14.4-1"], section: "14.4",
            NodeSetting(who: world.me, entries: [left])
        ) {
            try begin($0)
            try $0.sends(1, Wire.roster([present])).hear([]).clock(20_000).hear([])
        }
        try scripts.works(
            "a lesser entry is dropped, whatever its signature", ["R14.4-1"], flags: ["BadSignature"], section: "14.4",
            NodeSetting(who: world.me, entries: [left])
        ) {
            try begin($0)
            try $0.sends(1, Wire.roster([world.spoiled(present)])).hear([])
        }
        try scripts.works(
            "the greatest instance there is", ["R14.4-1"], section: "14.4", NodeSetting(who: world.me)
        ) {
            try begin($0)
            try $0.sends(1, Wire.roster([try world.entry(victim, instance: 1 << 62 - 1, sequence: 1 << 62 - 1)])).hear(
                [])
            try $0.sends(2, Wire.roster([present])).hear([])
        }
    }

    private func sizes(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let victim = world.greater[0]
        let setting = NodeSetting(who: world.me)
        func entry(_ fill: Int) throws -> [UInt8] {
            let addresses = (0..<4).map { _ in MemberAddress(kind: 9, value: [UInt8](repeating: 1, count: 62)) }
            let content = Community.Content(
                name: [], addresses: addresses.flatMap { [$0.kind] + Wire.vector($0.value) },
                chain: try world.chain(victim, via: Array(world.lesser[2...6])),
                fields: Wire.field(1, [UInt8](repeating: 1, count: fill)))
            return try world.community.entry(victim, content)
        }
        let fill = 1_024 - (try entry(70).count - 70)
        for (count, words) in [(fill, []), (fill + 1, ["1 CLOSE malformed", "departed misbehaved"])]
            as [(Int, [String])]
        {
            try scripts.works(
                "an entry of \(count - fill + 1_024) bytes", ["R14.3-1"],
                flags: words.isEmpty ? [] : ["LengthOutOfRange"], setting
            ) {
                try begin($0)
                try $0.sends(1, Wire.roster([try entry(count)])).hear(words)
            }
        }
        try scripts.works(
            "nothing of a malformed ROSTER is kept", ["R14.5-3"], flags: ["NotAscending"], section: "14.5", setting
        ) {
            try begin($0)
            let (one, other) = (try world.entry(world.greater[1]), try world.entry(world.greater[2]))
            try $0.sends(1, Wire.frame(.roster, Wire.vector(other + one))).hear(
                "1 CLOSE malformed", "departed misbehaved")
        }
        try scripts.works(
            "a member vanishes in the middle of a record", ["R14.9-2"], flags: ["Truncation"], section: "14.9", setting
        ) {
            try begin($0)
            try $0.sends(1, Wire.roster([try world.entry(victim)]), fault: "cut").hear([]).ends(1).hear("departed lost")
        }
    }

    private func impostors(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let (attacker, victim) = (world.lesser[0], world.greater[0])
        try scripts.works(
            "the entry of another one does not make a neighbour", ["R14.5-4"], flags: ["UnexpectedFrame"],
            section: "14.5",
            NodeSetting(who: world.me)
        ) {
            try $0.links(1, attacker, entry: try world.entry(victim)).hear()
            try $0.sends(1, Wire.digest([UInt8](repeating: 7, count: 32)))
                .hear("1 CLOSE unexpected_frame", "departed misbehaved")
        }
        try scripts.works(
            "a member that misbehaves harms its own link alone: the link of another member continues", ["R14.9-4"],
            flags: ["Truncated"],
            section: "14.9", NodeSetting(who: world.me)
        ) {
            try begin($0)
            try $0.sends(1, Wire.frame(.digest)).hear("1 CLOSE malformed", "departed misbehaved")
            try $0.sends(2, Wire.digest([UInt8](repeating: 7, count: 32))).hear("2 SUMMARY")
        }
    }
}
