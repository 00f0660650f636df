internal import MultipeerScriptedPeer

/// `node/`: one node, its links and its session (SPEC §8.7, §14).
struct NodeFiles {
    let subject: SwiftSubject

    func all() throws -> [(name: String, file: VectorFile)] {
        [
            try JoiningScripts(subject: subject).write().file(), try RosterScripts(subject: subject).write().file(),
            try InstanceScripts(subject: subject).write().file(), try DiallingScripts(subject: subject).write().file(),
            try NodeLinkScripts(subject: subject).write().file(),
            try MemberInviteScripts(subject: subject).write().file(),
            try DepartureScripts(subject: subject).write().file(),
            try NodeAttackScripts(subject: subject).write().file(), try UnionScripts(subject: subject).write().file(),
            try ResumingScripts(subject: subject).write().file(),
        ]
    }
}

/// `node/joining`: which member admits which, and which are notified (SPEC §14.1, §14.2, §14.6).
struct JoiningScripts {
    let subject: SwiftSubject
    private typealias Wire = WireBytes

    func write() throws -> NodeWriter {
        let scripts = try NodeWriter("joining", section: "14.6", subject: subject)
        try admitting(scripts)
        try joining(scripts)
        try newcomers(scripts)
        try refusals(scripts)
        return scripts
    }

    private func admitting(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let setting = NodeSetting(who: world.me)
        for (peer, digest) in [(world.greater[0], ["1 DIGEST"]), (world.lesser[0], [])]
            as [(Community.Member, [String])]
        {
            let word = digest.isEmpty ? "lesser: it begins to compare" : "greater: the local member begins to compare"
            try scripts.works(
                "an invitation to the session; the newcomer's key is \(word)",
                ["R14.5-1", "R14.6-1", "R14.6-2"], setting
            ) {
                try $0.connects(1, peer).hear().app("invite", 1).hear("1 INVITE")
                try $0.accepts(1).hear("1 CERTIFICATES", "1 READY", "1 ADMIT", "1 ROSTER", "connected")
                try $0.sends(1, Wire.roster([try world.entry(peer, via: [world.me])])).hear(digest)
            }
        }
        try scripts.works(
            "the founder, which may have forgotten its session, gets an empty chain", ["R14.5-1"], setting
        ) {
            try $0.connects(1, world.founder).app("invite", 1).hear("1 INVITE")
            try $0.accepts(1).hear("1 CERTIFICATES", "1 READY", "1 ADMIT", "1 ROSTER", "connected")
        }
        try scripts.works("the invitation is declined", ["R14.9-2"], flags: ["Declined"], setting) {
            try $0.connects(1, world.greater[0]).app("invite", 1).hear("1 INVITE")
            try $0.sends(1, Wire.decline(1), Wire.close()).hear("1 CLOSE no_error", "departed refused")
        }
    }

    private func joining(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let setting = NodeSetting(who: world.me, isMember: false)
        let admit = Wire.admit(try world.chain(world.me))
        func asked(_ script: NodeScript) throws {
            try script.connects(1, world.founder).hear().invites(1, world.founder, kind: 0).hear("asked")
        }
        try scripts.works("the own entry goes out once ADMIT has come", ["R14.5-1", "R14.6-1"], setting) {
            try asked($0)
            try $0.app("accept", 1).hear("1 ACCEPT", "1 CERTIFICATES")
            try $0.sends(1, Wire.certificates(), Wire.ready).hear("1 READY", "connected")
            try $0.sends(1, admit).hear("1 ROSTER")
        }
        try scripts.works("an entry of an earlier run of its own comes before ADMIT", ["R14.7-1"], setting) {
            try asked($0)
            try $0.app("accept", 1).sends(1, Wire.certificates(), Wire.ready).hear()
            let earlier = try world.entry(world.me, instance: NodeWorld.instance + 15, name: "Me")
            try $0.sends(1, Wire.roster([earlier]), admit).hear("1 ROSTER")
        }
        try scripts.works("a second ADMIT", ["R14.5-1"], flags: ["Duplicate"], setting) {
            try asked($0)
            try $0.app("accept", 1).sends(1, Wire.certificates(), Wire.ready, admit).hear()
            try $0.sends(1, admit).hear("1 CLOSE unexpected_frame", "departed misbehaved")
        }
        try scripts.works(
            "a chain in ADMIT that is another one's", ["R14.5-1", "R14.2-1"], flags: ["WrongChain"], setting
        ) {
            try asked($0)
            try $0.app("accept", 1).sends(1, Wire.certificates(), Wire.ready).hear()
            try $0.sends(1, Wire.admit(try world.chain(world.greater[0])))
                .hear("1 CLOSE entry_invalid", "departed misbehaved")
        }
        try scripts.works("the app declines", ["R8.4-3"], flags: ["Declined"], setting) {
            try asked($0)
            try $0.app("decline", 1).hear("1 DECLINE 1", "1 CLOSE no_error", "departed refused")
        }
        try scripts.works("the app has been asked, and the link is lost", ["R14.9-2"], flags: ["Truncation"], setting) {
            try asked($0)
            try $0.ends(1).hear("departed lost").app("accept", 1).hear()
        }
    }

    private func newcomers(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let (neighbour, newcomer) = (world.lesser[0], world.lesser[1])
        let entry = try world.entry(newcomer, via: [world.me])
        var setting = NodeSetting(who: world.me)
        func linked(_ script: NodeScript) throws {
            try script.links(1, neighbour, entry: try world.entry(neighbour)).hear()
            try script.joins(2, newcomer).hear()
        }
        try scripts.works(
            "a newcomer's first entry goes to the other neighbours, and later ones do not", ["R14.6-7"], setting
        ) {
            try linked($0)
            try $0.sends(2, Wire.roster([entry])).hear("1 ROSTER")
            try $0.sends(2, Wire.roster([try world.entry(newcomer, sequence: 1, via: [world.me])])).hear()
        }
        try scripts.works("entries of others that a newcomer sends go to nobody", ["R14.6-7"], setting) {
            try linked($0)
            let other = try world.entry(world.greater[3])
            try $0.sends(2, Wire.roster([other])).hear().sends(2, Wire.roster([entry])).hear("1 ROSTER")
        }
        try scripts.works("a member whose INVITE stands is no newcomer", ["R14.6-7"], setting) {
            try $0.links(1, neighbour, entry: try world.entry(neighbour)).hear()
            try $0.links(2, newcomer, entry: try world.entry(newcomer)).hear(
                "2 ACCEPT", "2 CERTIFICATES", "2 READY", "2 ROSTER", "connected")
        }
        setting.entries = [entry]
        try scripts.works(
            "the entry of one who was invited again is known already: it goes to nobody, and a greater one does",
            ["R14.6-7"], setting
        ) {
            try linked($0)
            try $0.sends(2, Wire.roster([entry])).hear()
            try $0.sends(2, Wire.roster([try world.entry(newcomer, sequence: 1, via: [world.me])])).hear("1 ROSTER")
        }
    }

    private func refusals(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let peer = world.greater[0]
        for (count, words) in [(8, []), (7, ["1 INVITE"])] as [(Int, [String])] {
            try scripts.works(
                "the own chain has \(count) admissions", ["R14.2-2"], section: "14.2",
                NodeSetting(who: world.me, via: Array(world.lesser[..<(count - 1)]))
            ) { try $0.connects(1, peer).app("invite", 1).hear(words) }
        }
        let closed = try NodeWorld(
            samples: Samples(crypto: subject.crypto), parameters: Wire.fields([(2, [1])]))
        try scripts.works(
            "the founder alone admits, and the node is another one", ["R14.1-2"], section: "14.1",
            NodeSetting(who: closed.me), in: closed
        ) { try $0.connects(1, peer).app("invite", 1).hear([]) }
        try scripts.works(
            "the founder alone admits, and is the node", ["R14.1-2"], section: "14.1", NodeSetting(), in: closed
        ) { try $0.connects(1, peer).app("invite", 1).hear("1 INVITE") }
        let pair = try NodeWorld(samples: Samples(crypto: subject.crypto), parameters: Wire.fields([(4, [2])]))
        try scripts.works(
            "two members at most: who is invited counts until that link ends", ["R14.1-2"], section: "14.1",
            NodeSetting(), in: pair
        ) {
            try $0.connects(1, peer).app("invite", 1).hear("1 INVITE")
            try $0.connects(2, world.greater[1]).app("invite", 2).hear([])
            try $0.sends(1, Wire.decline(1), Wire.close()).hear("1 CLOSE no_error", "departed refused")
            try $0.app("invite", 2).hear("2 INVITE")
        }
        try scripts.works(
            "two members at most: one of whom there is an entry may come back", ["R14.1-2"], section: "14.1",
            NodeSetting(entries: [try pair.entry(pair.greater[0])]), in: pair
        ) {
            try $0.connects(1, pair.greater[1]).app("invite", 1).hear([])
            try $0.connects(2, pair.greater[0]).app("invite", 2).hear("2 INVITE")
        }
        try scripts.works(
            "one that has left counts no more", ["R14.1-2"], section: "14.1",
            NodeSetting(entries: [try pair.entry(pair.greater[0], presence: 0)]), in: pair
        ) { try $0.connects(1, pair.greater[1]).app("invite", 1).hear("1 INVITE") }
        try scripts.works(
            "who has left admits nobody until it comes back", ["R14.1-2"], section: "14.1", NodeSetting(who: world.me)
        ) {
            try $0.app("leave").connects(1, peer).app("invite", 1).hear([])
            try $0.app("comeBack").app("invite", 1).hear("1 INVITE")
        }
    }
}
