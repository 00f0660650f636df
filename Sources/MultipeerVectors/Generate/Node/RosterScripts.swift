internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `node/rosters`: how two neighbours compare what they have (SPEC §14.5, §14.6).
struct RosterScripts {
    let subject: SwiftSubject
    private typealias Wire = WireBytes
    private static let other = [UInt8](repeating: 7, count: 32)

    func write() throws -> NodeWriter {
        let scripts = try NodeWriter("rosters", section: "14.6", subject: subject)
        try digests(scripts)
        try summaries(scripts)
        try wants(scripts)
        try judging(scripts)
        try asking(scripts)
        try rates(scripts)
        return scripts
    }

    /// A neighbour with the lesser key, which begins to compare.
    private func neighbour(_ script: NodeScript) throws {
        let who = script.world.lesser[0]
        try script.links(1, who, entry: try script.world.entry(who)).hear()
    }

    private func digests(_ scripts: NodeWriter) throws {
        let setting = NodeSetting(who: scripts.world.me)
        try scripts.works("an equal DIGEST is not answered, another one by SUMMARY", ["R14.6-4"], setting) {
            try neighbour($0)
            try $0.sends(1, Wire.digest($0.lastDigest)).hear([])
            try $0.sends(1, Wire.digest(Self.other)).hear("1 SUMMARY")
        }
        try scripts.works("for 10 s after one that was answered a DIGEST is ignored", ["R14.6-4"], setting) {
            try neighbour($0)
            try $0.sends(1, Wire.digest(Self.other)).hear("1 SUMMARY")
            try $0.clock(9_999).sends(1, Wire.digest(Self.other)).hear([])
            try $0.clock(1).sends(1, Wire.digest(Self.other)).hear("1 SUMMARY")
        }
        try scripts.works("an equal DIGEST does not begin the 10 s", ["R14.6-4"], setting) {
            try neighbour($0)
            try $0.sends(1, Wire.digest($0.lastDigest)).sends(1, Wire.digest(Self.other)).hear("1 SUMMARY")
        }
        try scripts.works(
            "DIGEST of a peer whose own entry has not come", ["R14.5-4"], flags: ["UnexpectedFrame"], setting
        ) {
            try $0.links(1, scripts.world.lesser[0]).hear()
            try $0.sends(1, Wire.digest(Self.other)).hear("1 CLOSE unexpected_frame", "departed misbehaved")
        }
    }

    private func summaries(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let peer = world.greater[0]
        let others = Array(world.greater[1...4])
        let base = NodeWorld.instance
        let peersEntry = try world.entry(peer)
        let setting = NodeSetting(who: world.me, entries: try others[..<3].map { try world.entry($0) })
        func begun(_ script: NodeScript) throws {
            try script.links(1, peer, entry: peersEntry)
                .hear("1 ACCEPT", "1 CERTIFICATES", "1 READY", "1 ROSTER", "1 DIGEST", "connected")
        }
        try scripts.works(
            "the local member sends what the neighbour lacks, and then asks for what it lacks itself", ["R14.6-5"],
            setting
        ) {
            try begun($0)
            // Of the three others: an older one, none, a greater one; a fourth that only the neighbour knows.
            let summary = world.summary([
                (peer, base, 0, peersEntry), (others[0], base - 1, 9, try world.entry(others[0], instance: base - 1)),
                (others[2], base, 1, try world.entry(others[2], sequence: 1)),
                (others[3], base, 0, try world.entry(others[3])),
            ])
            try $0.sends(1, summary).hear("1 ROSTER", "1 WANT")
        }
        try scripts.works("the same entries: nothing goes out", ["R14.6-5"], NodeSetting(who: world.me)) {
            try begun($0)
            let own = try world.entry(world.me, name: "Me")
            try $0.sends(1, world.summary([(peer, base, 0, peersEntry), (world.me, base, 0, own)])).hear([])
        }
        try scripts.works("nothing is lacking here: no WANT", ["R14.6-5"], setting) {
            try begun($0)
            try $0.sends(1, world.summary([])).hear("1 ROSTER")
        }
        try scripts.works("a SUMMARY for which nobody has asked", ["R14.5-4"], flags: ["UnexpectedFrame"], setting) {
            try begun($0)
            try $0.sends(1, world.summary([])).hear()
            try $0.sends(1, world.summary([])).hear("1 CLOSE unexpected_frame", "departed misbehaved")
        }
    }

    private func wants(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let known = world.greater[1]
        let setting = NodeSetting(who: world.me, entries: [try world.entry(known)])
        try scripts.works("WANT is answered by the entries that there are", ["R14.6-6"], setting) {
            try neighbour($0)
            try $0.sends(1, Wire.digest(Self.other)).hear("1 SUMMARY")
            try $0.sends(1, Wire.want([known.key, world.greater[2].key, world.me.key])).hear("1 ROSTER")
        }
        try scripts.works("nothing of what is wanted is there", ["R14.6-6"], setting) {
            try neighbour($0)
            try $0.sends(1, Wire.digest(Self.other)).hear("1 SUMMARY")
            try $0.sends(1, Wire.want([world.greater[2].key])).hear([])
        }
        try scripts.works("one WANT for each SUMMARY", ["R14.5-4"], flags: ["UnexpectedFrame"], setting) {
            try neighbour($0)
            try $0.sends(1, Wire.digest(Self.other)).sends(1, Wire.want([known.key])).hear("1 SUMMARY", "1 ROSTER")
            try $0.sends(1, Wire.want([known.key])).hear("1 CLOSE unexpected_frame", "departed misbehaved")
        }
    }

    private func judging(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let blocked = world.greater[1]
        let entries = [
            ("of one whom the local app has blocked", try world.entry(blocked)),
            ("of a time long past", try world.entry(blocked, instance: 1)),
            ("of a time to come", try world.entry(blocked, instance: 1 << 60)),
            (
                "with an address of a kind that nobody knows",
                try world.entry(blocked, at: [MemberAddress(kind: 200, value: [1])])
            ),
        ]
        for (comment, entry) in entries {
            try scripts.works(
                "an entry \(comment) is kept, and passed on", ["R14.3-3"], section: "14.3", NodeSetting(who: world.me)
            ) {
                try $0.app("block", nil, blocked)
                try neighbour($0)
                try $0.sends(1, Wire.roster([entry])).hear([])
                try $0.sends(1, Wire.digest(Self.other)).hear("1 SUMMARY")
                try $0.sends(1, Wire.want([blocked.key])).hear("1 ROSTER")
            }
        }
    }

    private func asking(_ scripts: NodeWriter) throws {
        let setting = NodeSetting(who: scripts.world.me)
        try scripts.works("a neighbour is asked every 30 s", ["R14.6-3"], setting) {
            try neighbour($0)
            try $0.clock(29_999).hear([]).clock(1).hear("1 DIGEST").clock(29_999).hear([]).clock(1).hear("1 DIGEST")
        }
        try scripts.works("a peer that is no neighbour is not asked", ["R14.6-3"], setting) {
            try $0.links(1, scripts.world.lesser[0]).hear().clock(30_000).hear([])
        }
    }

    private func rates(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let crowd = try (0..<128).map { try world.community.member("in a crowd \($0)") }
        let setting = NodeSetting(who: world.me, entries: try crowd.map { try world.entry($0) })
        try scripts.works("512 entries of others within 60 s, and no more", ["R14.6-8"], setting) {
            try neighbour($0)
            for round in 0..<5 {
                try $0.clock(round == 0 ? 0 : 10_000).sends(1, Wire.digest(Self.other))
                try $0.sends(1, Wire.want(crowd.map(\.key)))
                let asks = round == 3 ? ["1 DIGEST"] : []
                try $0.hear(["1 SUMMARY"] + (round < 4 ? ["1 ROSTER"] : []) + asks)
            }
            try $0.clock(20_000).hear("1 DIGEST")
            try $0.sends(1, Wire.digest(Self.other)).sends(1, Wire.want(crowd.map(\.key))).hear("1 SUMMARY", "1 ROSTER")
        }
        let forged = try world.entry(world.greater[5])
        for (times, words) in [(1_023, []), (1_022, ["1 CLOSE entry_invalid", "departed misbehaved"])]
            as [(Int, [String])]
        {
            try scripts.works(
                "\(times + 1) entries have come within a minute: one that does not verify is \(words.isEmpty ? "not judged" : "judged")",
                ["R14.6-8"], flags: ["BadSignature"], NodeSetting(who: world.me)
            ) {
                try neighbour($0)
                try $0.sends(1, Wire.roster([try world.entry(world.lesser[0])]), times: times).hear([])
                try $0.sends(1, Wire.roster([world.spoiled(forged)])).hear(words)
            }
        }
        try budgets(scripts, forged: world.spoiled(forged))
    }

    /// A link costs nothing, and neither does an identity (R14.6-8).
    private func budgets(_ scripts: NodeWriter, forged: [UInt8]) throws {
        let world = scripts.world
        let (first, known) = (world.lesser[0], Wire.roster([try world.entry(world.lesser[0])]))
        let judged = ["1 CLOSE entry_invalid", "departed misbehaved"]
        try scripts.works(
            "entries count by neighbour: another link begins no new minute", ["R14.6-8", "R14.5-4"],
            flags: ["BadSignature"], NodeSetting(who: world.me)
        ) {
            try neighbour($0)
            try $0.sends(1, known, times: 1_023).hear([]).ends(1).hear("departed lost")
            // Its own entry is dropped as well, and has come all the same.
            try $0.links(2, first, entry: try world.entry(first)).hear()
            try $0.sends(2, Wire.roster([forged])).hear([]).sends(2, Wire.digest(Self.other)).hear("2 SUMMARY")
            try $0.clock(60_000).sends(2, Wire.roster([forged])).hear([
                "2 CLOSE entry_invalid", "departed misbehaved", "2 DIGEST", "2 DIGEST",
            ])
        }
        for (last, words) in [(4, []), (3, judged)] as [(Int, [String])] {
            try scripts.works(
                "\(4_092 + last) entries of a branch have come within a minute: one that does not verify is \(words.isEmpty ? "not judged" : "judged")",
                ["R14.6-8"], flags: ["BadSignature"], NodeSetting(who: world.me)
            ) {
                for (number, who) in world.lesser[2..<7].enumerated() {
                    let link = 5 - number
                    try $0.connects(link, who).sends(link, try world.invite(who, kind: 2, via: [first]))
                    try $0.sends(link, Wire.certificates(), Wire.ready)
                    try $0.sends(link, Wire.roster([try world.entry(who, via: [first])])).hear()
                    let other = Wire.roster([try world.entry(world.lesser[2], via: [first])])
                    let more = Wire.roster([try world.entry(world.lesser[3], via: [first])])
                    try $0.sends(link, number == 0 ? more : other, times: link == 1 ? last : 1_023).hear()
                }
                try $0.sends(1, Wire.roster([forged])).hear(words)
            }
        }
    }
}
