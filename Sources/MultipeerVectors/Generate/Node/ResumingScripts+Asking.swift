internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// RESUME of the node, and what travels on the links that it continues.
extension ResumingScripts {
    private typealias Wire = WireBytes

    // MARK: RESUME of the node

    private static let address = NodeWorld.address(11)
    private static let dialled = "dial " + Hexadecimal.encode(address.value)

    /// A member that lists an address is linked, and lost; the node dials it 500 ms later, and sends RESUME.
    private func dial(_ script: NodeScript, _ who: Community.Member, before: (NodeScript) throws -> Void = { _ in })
        throws
    {
        try open(script, who)
        try script.sends(1, Wire.roster([try script.world.entry(who, sequence: 1, at: [Self.address])])).hear([])
        try before(script)
        try script.ends(1).hear("reconnecting").clock(499).hear([]).clock(1).hear(Self.dialled)
        try script.reaches(2, who, at: Self.address).hear("2 PROOF", "2 RESUME")
    }

    func asking(_ scripts: NodeWriter) throws {
        let (world, peer) = (scripts.world, scripts.world.greater[0])
        let setting = setting(world)
        for (who, name) in [(peer, "the controller"), (world.lesser[0], "the other peer")] {
            try scripts.works(
                "\(name) dials the address that its peer lists, and resumes there",
                ["R13.9-4", "R13.9-6", "R14.8-5"], setting
            ) {
                try dial($0, who)
                try $0.answers(2).hear("2 ROSTER", "connected")
            }
        }
        try scripts.works("RESUMED acknowledges, and the rest goes again", ["R13.9-6", "R13.9-8"], setting) {
            try dial($0, peer) { try $0.tells(peer, "a").tells(peer, "b").hear("1 MESSAGE", "1 MESSAGE") }
            try $0.answers(2, received: 1).hear("2 MESSAGE", "2 ROSTER", "connected")
        }
        let wrong: [(String, [String], String, String, (NodeScript) throws -> Void)] = [
            ("another proof", ["R13.9-6"], "WrongKey", "proof_invalid", { try $0.answers(2, fault: "proof") }),
            (
                "`received` above what was sent", ["R13.6-2", "R13.9-6"], "ValueOutOfRange", "malformed",
                { try $0.answers(2, received: 9) }
            ),
        ]
        for (comment, requirements, flag, code, answer) in wrong {
            try scripts.works(
                "RESUMED: \(comment); the association stays", requirements, flags: [flag], setting
            ) {
                try dial($0, peer)
                try answer($0)
                try $0.hear("2 CLOSE \(code)").resumes(3, peer).hear("3 RESUMED", "3 ROSTER", "connected")
            }
        }
        try scripts.works("RESUMED twice", ["R13.9-6"], flags: ["UnexpectedFrame"], setting) {
            try dial($0, peer)
            try $0.answers(2).hear("2 ROSTER", "connected")
            try $0.answers(2).hear("2 CLOSE unexpected_frame", "departed misbehaved")
        }
        try scripts.works("RESUMED that nobody has asked for", ["R13.9-6"], flags: ["UnexpectedFrame"], setting) {
            try lose($0, peer)
            try $0.connects(2, peer).answers(2).hear("2 CLOSE unexpected_frame")
        }
        for reason in [6, 2] as [UInt8] {
            try scripts.works(
                "DECLINE of reason \(reason) ends it", ["R13.9-3", "R14.9-2"], flags: ["Declined"], setting
            ) {
                try dial($0, peer)
                try $0.sends(2, Wire.decline(reason), Wire.close()).hear("2 CLOSE no_error", "departed lost")
                try $0.resumes(3, peer).hear("3 DECLINE 6", "3 CLOSE no_error")
            }
        }
        try scripts.works("CLOSE before RESUMED: the association stays", ["R13.9-6"], setting) {
            try dial($0, peer)
            try $0.sends(2, Wire.close(CloseCode.duplicateLink.rawValue)).hear("2 CLOSE no_error")
            try $0.resumes(3, peer).hear("3 RESUMED", "3 ROSTER", "connected")
        }
        let odd: [(String, String, [String], [UInt8])] = [
            ("an INVITE that does not decode", "malformed", ["R13.9-7"], Wire.frame(.invite, [0])),
            ("ACCEPT", "unexpected_frame", ["R13.9-6"], Wire.accept(preference: 2)),
            ("PING", "unexpected_frame", ["R10.5-3"], Wire.ping()),
        ]
        for (comment, code, requirements, frame) in odd {
            let flag = code == "malformed" ? "Truncated" : "UnexpectedFrame"
            try scripts.works("\(comment) while RESUME waits", requirements, flags: [flag], setting) {
                try dial($0, peer)
                try $0.sends(2, frame).hear("2 CLOSE \(code)")
            }
        }
        try scripts.works("RESUME at an initiator", ["R13.9-4"], flags: ["UnexpectedFrame"], NodeSetting(who: world.me))
        {
            try open($0, peer)
            try $0.sends(1, Wire.roster([try world.entry(peer, sequence: 1, at: [Self.address])])).hear([])
            try $0.ends(1).hear(Self.dialled, "departed lost")
            try $0.reaches(2, peer, at: Self.address).hear("2 PROOF", "2 INVITE")
            try $0.asks(2).hear("2 CLOSE unexpected_frame", "departed misbehaved")
        }
    }

    func crossing(_ scripts: NodeWriter) throws {
        let (world, peer) = (scripts.world, scripts.world.greater[0])
        let setting = setting(world)
        try scripts.works("both resume: the controller's RESUME counts", ["R13.9-7"], flags: ["CrossedFrame"], setting)
        {
            try dial($0, peer)
            try $0.resumes(3, peer).hear("3 CLOSE duplicate_link").answers(2).hear("2 ROSTER", "connected")
        }
        try scripts.works("both resume: the other peer answers", ["R13.9-7"], flags: ["CrossedFrame"], setting) {
            try dial($0, world.lesser[0])
            try $0.resumes(3, world.lesser[0]).hear("2 CLOSE moved", "3 RESUMED", "3 ROSTER", "connected")
            try $0.answers(2).hear([])
        }
        try scripts.works(
            "INVITE crosses RESUME: it is ignored, and CANCEL too", ["R13.9-7"], flags: ["CrossedFrame"], setting
        ) {
            try dial($0, peer)
            try $0.invites(2, peer).sends(2, Wire.cancel(2)).hear([]).answers(2).hear("2 ROSTER", "connected")
        }
    }

    // MARK: Members

    func members(_ scripts: NodeWriter) throws {
        let (world, peer) = (scripts.world, scripts.world.greater[0])
        let setting = setting(world)
        try scripts.works("a member that is reconnecting is not invited", ["R14.11-8"], setting) {
            try dial($0, peer)
            try $0.clock(500).hear([])
        }
        func joined(_ script: NodeScript) throws {
            try script.joins(1, peer).hear(
                "1 INVITE", "1 CERTIFICATES", "1 READY", "1 ADMIT", "1 ROSTER", "connected")
            try script.ends(1).hear("reconnecting")
        }
        try scripts.works("ADMIT that was lost goes again, before the own entry", ["R13.9-8", "R14.5-1"], setting) {
            try joined($0)
            try $0.resumes(2, peer).hear("2 RESUMED", "2 ADMIT", "2 ROSTER", "connected")
        }
        try scripts.works("ADMIT that was processed does not go again", ["R13.9-8", "R14.5-1"], setting) {
            try joined($0)
            try $0.resumes(2, peer, received: 1).hear(Self.resumed)
        }
        try scripts.works(
            "a second ADMIT, on the next link", ["R14.5-1"], flags: ["Duplicate"],
            NodeSetting(who: world.me, isMember: false, grace: 60_000)
        ) {
            let admit = Wire.admit(try world.chain(world.me))
            try $0.connects(1, world.founder).invites(1, world.founder, kind: 0).app("accept", 1)
                .sends(1, Wire.certificates(), Wire.ready, admit).hear()
            try $0.ends(1).hear("reconnecting").resumes(2, world.founder).hear(Self.resumed)
            try $0.sends(2, admit).hear("2 CLOSE unexpected_frame", "departed misbehaved")
        }
        try scripts.works(
            "DIGEST on the next link before the peer's entry", ["R14.5-4"], flags: ["UnexpectedFrame"], setting
        ) {
            try lose($0, peer)
            try $0.resumes(2, peer).hear(Self.resumed)
            try $0.sends(2, Wire.digest([UInt8](repeating: 0, count: 32))).hear()
        }
    }

    /// Sessions that unite (SPEC §14.11).
    func sessions(_ scripts: NodeWriter) throws {
        let unions = UnionScripts(subject: subject)
        let sessions = try unions.sessions(2)
        let (lesser, greater) = (sessions[0], sessions[1])
        let peer = greater.greater[0]
        let setting = setting(greater)
        func united(
            _ comment: String, _ requirements: [String], flags: [String] = [], _ body: (NodeScript) throws -> Void
        ) throws {
            try scripts.works(comment, requirements, flags: flags, setting, in: greater, body)
        }
        let unite = try unions.unite(peer, into: lesser, admitting: greater.me)
        let enter = Wire.enter(lesser.community.session)
        try united("UNITE on the next link is followed", ["R13.9-8", "R14.11-2"]) {
            try lose($0, peer)
            try $0.resumes(2, peer).hear(Self.resumed).sends(2, unite).hear("2 ENTER", "2 ROSTER", "united")
        }
        func begun(_ script: NodeScript) throws {
            try open(script, peer)
            try script.sends(1, unite).hear("1 ENTER", "1 ROSTER", "united")
        }
        try united("ENTER that was lost goes again, and the entry in the new session", ["R13.9-8", "R14.11-5"]) {
            try begun($0)
            try $0.ends(1).hear("reconnecting").resumes(2, peer).hear("2 RESUMED", "2 ENTER", "2 ROSTER", "connected")
        }
        try united("ENTER on the next link", ["R14.11-6"]) {
            try begun($0)
            try $0.ends(1).hear("reconnecting").resumes(2, peer, received: 1).hear(Self.resumed)
            try $0.sends(2, enter).hear([])
        }
        try united("each direction keeps its session", ["R13.9-6", "R14.6-1"]) {
            try begun($0)
            try $0.sends(1, enter).hear([]).ends(1).hear("reconnecting").resumes(2, peer, received: 1).hear(
                Self.resumed)
        }
        try united(
            "ENTER of a session that nobody has named, on the next link", ["R14.11-6"], flags: ["UnexpectedFrame"]
        ) {
            try lose($0, peer)
            try $0.resumes(2, peer).hear(Self.resumed).sends(2, enter)
                .hear("2 CLOSE unexpected_frame", "departed misbehaved")
        }
    }
}
