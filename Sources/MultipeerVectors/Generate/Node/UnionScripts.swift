internal import MultipeerCore
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `node/unions`: sessions of one group that become one (SPEC §14.11). All have the same founder and the same members.
struct UnionScripts {
    let subject: SwiftSubject
    private typealias Wire = WireBytes
    private typealias Member = Community.Member

    func write() throws -> NodeWriter {
        let scripts = try NodeWriter("unions", section: "14.11", subject: subject)
        let sessions = try sessions(11)
        try following(scripts, sessions)
        try refusals(scripts, sessions)
        try chains(scripts, sessions)
        try moving(scripts, sessions)
        try passingOn(scripts, sessions)
        try bounds(scripts, sessions)
        try staying(scripts, sessions)
        return scripts
    }

    /// Sessions with ascending identifiers.
    func sessions(_ count: Int, parameters: [UInt8] = []) throws -> [NodeWorld] {
        try (0..<count).map { number in
            try NodeWorld(
                samples: Samples(crypto: subject.crypto), nonce: "session \(number) of a union", parameters: parameters)
        }.sorted { $0.community.session.lexicographicallyPrecedes($1.community.session) }
    }

    /// UNITE of a member of a session, which admits the node.
    func unite(
        _ who: Community.Member, into session: NodeWorld, admitting me: Community.Member, chain: [UInt8]? = nil,
        by signer: Community.Member? = nil
    ) throws -> [UInt8] {
        let (community, signer) = (session.community, signer ?? who)
        return Wire.unite(
            community.charter, try chain ?? session.chain(who),
            admission: try community.sign(community.signed("admission", me.key), signer.seed))
    }

    /// The node is linked to a member of the greater session, whose entry has come.
    private func linked(_ script: NodeScript, _ link: Int, _ who: Member) throws {
        try script.links(link, who, entry: try script.world.entry(who)).hear()
    }

    // MARK: Following

    private func following(_ scripts: NodeWriter, _ sessions: [NodeWorld]) throws {
        let (lesser, greater) = (sessions[0], sessions[1])
        let me = greater.me
        let setting = NodeSetting(who: me)
        for (peer, word, digest) in [
            (greater.lesser[0], "lesser", []), (greater.greater[0], "greater", ["1 DIGEST"]),
        ] as [(Member, String, [String])] {
            try scripts.works(
                "an admission to a lesser session is followed; the neighbour's key is \(word)",
                ["R14.11-3", "R14.11-5", "R14.11-7"], setting, in: greater
            ) {
                try linked($0, 1, peer)
                try $0.sends(1, try unite(peer, into: lesser, admitting: me)).hear("1 ENTER", "1 ROSTER", "united")
                try $0.sends(1, Wire.enter(lesser.community.session)).hear([])
                try $0.sends(1, Wire.roster([try lesser.entry(peer)])).hear(digest)
            }
        }
        try scripts.works(
            "a founder that does not know its session follows into it with the empty chain", ["R14.11-3"],
            NodeSetting(), in: greater
        ) {
            let peer = greater.lesser[0]
            try linked($0, 1, peer)
            try $0.sends(1, try unite(peer, into: lesser, admitting: greater.founder))
                .hear("1 ENTER", "1 ROSTER", "united")
        }
        try scripts.works("without an admission nothing is followed", ["R14.11-3"], setting, in: greater) {
            let peer = greater.lesser[0]
            try linked($0, 1, peer)
            try $0.sends(1, Wire.unite(lesser.community.charter, try lesser.chain(peer))).hear([])
        }
        try scripts.works("the same UNITE again changes nothing", ["R14.11-3"], setting, in: greater) {
            let peer = greater.lesser[0]
            try linked($0, 1, peer)
            let frame = try unite(peer, into: lesser, admitting: me)
            try $0.sends(1, frame).hear("1 ENTER", "1 ROSTER", "united")
            try $0.sends(1, frame).hear([])
        }
    }

    // MARK: Frames that break a rule

    private func refusals(_ scripts: NodeWriter, _ sessions: [NodeWorld]) throws {
        let (lesser, greater) = (sessions[0], sessions[1])
        let (me, peer) = (greater.me, greater.lesser[0])
        let setting = NodeSetting(who: me)
        func fails(
            _ comment: String, _ code: String, _ flag: String, in world: NodeWorld, _ setting: NodeSetting = setting,
            isNeighbour: Bool = true, _ frame: @escaping () throws -> [UInt8]
        ) throws {
            try scripts.works(comment, ["R14.11-2"], flags: [flag], setting, in: world) {
                try $0.links(1, peer, entry: isNeighbour ? try world.entry(peer) : nil).hear()
                try $0.sends(1, try frame()).hear("1 CLOSE \(code)", "departed misbehaved")
            }
        }
        let good = { try unite(peer, into: lesser, admitting: me) }
        try fails(
            "UNITE of a peer whose own entry has not come", "unexpected_frame", "UnexpectedFrame", in: greater,
            isNeighbour: false, good)
        try fails("UNITE for the session of the link", "unexpected_frame", "UnexpectedFrame", in: greater) {
            try unite(peer, into: greater, admitting: me)
        }
        try fails("UNITE for a greater session", "unexpected_frame", "UnexpectedFrame", in: lesser) {
            try unite(peer, into: greater, admitting: me)
        }
        let pairs = try self.sessions(40, parameters: Wire.fields([(4, [2])]))
        guard let others = pairs.first, others.community.session.lexicographicallyPrecedes(greater.community.session)
        else { throw GeneratorFault.cannotBuild("a lesser session of two") }
        try fails("the parameters are others", "unexpected_frame", "UnexpectedFrame", in: greater) {
            try unite(peer, into: others, admitting: me)
        }
        for (comment, parameters) in [
            ("the founder alone admits", [(2, [1])]), ("they never unite", [(6, [0])]),
        ] as [(String, [(UInt64, [UInt8])])] {
            let closed = try self.sessions(2, parameters: Wire.fields(parameters))
            try fails(
                "sessions that may not unite: \(comment)", "unexpected_frame", "UnexpectedFrame", in: closed[1]
            ) { try unite(peer, into: closed[0], admitting: me) }
        }
        let open = try self.sessions(2, parameters: Wire.fields([(2, [1]), (6, [1])]))
        try scripts.works(
            "the founder alone admits, and its sessions may unite", ["R14.11-2", "R14.11-3"], NodeSetting(who: me),
            in: open[1]
        ) {
            try linked($0, 1, open[1].founder)
            try $0.sends(1, try unite(open[1].founder, into: open[0], admitting: me))
                .hear("1 ENTER", "1 ROSTER", "united")
        }
    }

    private func chains(_ scripts: NodeWriter, _ sessions: [NodeWorld]) throws {
        let (lesser, greater) = (sessions[0], sessions[1])
        let (me, peer) = (greater.me, greater.lesser[0])
        func fails(_ comment: String, _ flag: String, _ frame: [UInt8]) throws {
            try scripts.works(comment, ["R14.11-2"], flags: [flag], NodeSetting(who: me), in: greater) {
                try linked($0, 1, peer)
                try $0.sends(1, frame).hear("1 CLOSE entry_invalid", "departed misbehaved")
            }
        }
        try fails(
            "a chain of another member", "WrongChain",
            try unite(peer, into: lesser, admitting: me, chain: try lesser.chain(greater.lesser[1])))
        try fails(
            "a chain of another session", "WrongChain",
            try unite(peer, into: lesser, admitting: me, chain: try greater.chain(peer)))
        try fails(
            "an admission that somebody else has signed", "BadSignature",
            try unite(peer, into: lesser, admitting: me, by: greater.lesser[1]))
        try fails(
            "an admission of somebody else", "BadSignature",
            try unite(peer, into: lesser, admitting: greater.lesser[1]))
        try fails(
            "a chain of eight admits nobody", "WrongChain",
            try unite(
                peer, into: lesser, admitting: me, chain: try lesser.chain(peer, via: Array(greater.greater[..<7]))))
        let seven = try unite(
            peer, into: lesser, admitting: me, chain: try lesser.chain(peer, via: Array(greater.greater[..<6])))
        try scripts.works("a chain of seven does", ["R14.11-2", "R14.11-3"], NodeSetting(who: me), in: greater) {
            try linked($0, 1, peer)
            try $0.sends(1, seven).hear("1 ENTER", "1 ROSTER", "united")
        }
        try scripts.works(
            "an admission of 63 bytes", ["R14.11-2"], flags: ["LengthOutOfRange"], NodeSetting(who: me), in: greater
        ) {
            try linked($0, 1, peer)
            let frame = Wire.unite(
                lesser.community.charter, try lesser.chain(peer), admission: [UInt8](repeating: 1, count: 63))
            try $0.sends(1, frame).hear("1 CLOSE malformed", "departed misbehaved")
        }
    }

    // MARK: Links

    private func moving(_ scripts: NodeWriter, _ sessions: [NodeWorld]) throws {
        let (lesser, greater) = (sessions[0], sessions[1])
        let (me, peer) = (greater.me, greater.lesser[0])
        let (setting, other) = (NodeSetting(who: me), [UInt8](repeating: 7, count: 32))
        func followed(_ script: NodeScript) throws {
            try linked(script, 1, peer)
            try script.sends(1, try unite(peer, into: lesser, admitting: me)).hear("1 ENTER", "1 ROSTER", "united")
        }
        try scripts.works(
            "DIGEST in the greater session is ignored, and answered in the lesser one", ["R14.11-7"], setting,
            in: greater
        ) {
            try followed($0)
            try $0.sends(1, Wire.digest(other)).hear([])
            try $0.sends(1, Wire.enter(lesser.community.session), Wire.roster([try lesser.entry(peer)])).hear([])
            try $0.sends(1, Wire.digest(other)).hear("1 SUMMARY")
        }
        try scripts.works(
            "DIGEST in the greater session is decoded before it is ignored", ["R14.11-7"], flags: ["Truncated"],
            setting, in: greater
        ) {
            try followed($0)
            try $0.sends(1, Wire.frame(.digest, Array(other.dropLast(2)))).hear(
                "1 CLOSE malformed", "departed misbehaved")
        }
        try scripts.works(
            "in the lesser session a DIGEST waits for the own entry again", ["R14.11-7", "R14.5-4"],
            flags: ["UnexpectedFrame"], setting, in: greater
        ) {
            try followed($0)
            try $0.sends(1, Wire.enter(lesser.community.session)).hear([])
            try $0.sends(1, Wire.digest(other)).hear("1 CLOSE unexpected_frame", "departed misbehaved")
        }
        try scripts.works(
            "an entry of the greater session is kept in its roster", ["R14.11-7"], setting, in: greater
        ) {
            try followed($0)
            try $0.sends(1, Wire.roster([try greater.entry(peer, sequence: 1)])).hear([])
        }
        func badEnter(_ comment: String, _ session: NodeWorld, _ begin: (NodeScript) throws -> Void) throws {
            try scripts.works(comment, ["R14.11-6"], flags: ["UnexpectedFrame"], setting, in: greater) {
                try begin($0)
                try $0.sends(1, Wire.enter(session.community.session))
                    .hear("1 CLOSE unexpected_frame", "departed misbehaved")
            }
        }
        try badEnter("ENTER for which there was no UNITE", lesser) { try linked($0, 1, peer) }
        try badEnter("ENTER for the session of the link", greater) { try linked($0, 1, peer) }
        try badEnter("ENTER twice", lesser) {
            try followed($0)
            try $0.sends(1, Wire.enter(lesser.community.session)).hear([])
        }
    }

    // MARK: What the node sends

    private func passingOn(_ scripts: NodeWriter, _ sessions: [NodeWorld]) throws {
        let (lesser, greater) = (sessions[0], sessions[1])
        let (me, peer, other) = (greater.me, greater.lesser[0], greater.lesser[1])
        let setting = NodeSetting(who: me)
        let (moves, theirs) = (Wire.enter(lesser.community.session), try lesser.entry(peer))
        let others = try lesser.entry(other, via: [me])
        func united(_ script: NodeScript) throws {
            try linked(script, 1, peer)
            try linked(script, 2, other)
            try script.sends(1, try unite(peer, into: lesser, admitting: me))
                .hear("1 ENTER", "1 ROSTER", "2 UNITE", "united")
        }
        try scripts.works(
            "a member that has followed sends UNITE to its other neighbours, once", ["R14.11-1"], setting, in: greater
        ) {
            try united($0)
            try $0.sends(1, moves, Wire.roster([theirs])).hear([])
        }
        try scripts.works(
            "ENTER is answered by ENTER; the newcomer's first entry goes to those that are there",
            ["R14.11-5", "R14.6-7"], setting, in: greater
        ) {
            try united($0)
            try $0.sends(1, moves, Wire.roster([theirs])).hear([])
            try $0.sends(2, moves).hear("2 ENTER", "2 ROSTER")
            try $0.sends(2, Wire.roster([others])).hear("1 ROSTER")
        }
        try scripts.works(
            "a neighbour whose entry comes later gets UNITE then", ["R14.11-1"], setting, in: greater
        ) {
            try linked($0, 1, peer)
            try $0.links(2, other).hear()
            try $0.sends(1, try unite(peer, into: lesser, admitting: me)).hear("1 ENTER", "1 ROSTER", "united")
            try $0.sends(2, Wire.roster([try greater.entry(other)])).hear("2 UNITE")
        }
        try scripts.works("UNITE of both: each answers ENTER", ["R14.11-5"], setting, in: greater) {
            try united($0)
            try $0.sends(2, try unite(other, into: lesser, admitting: me)).hear("2 ENTER", "2 ROSTER")
            try $0.sends(2, moves).hear([])
        }
        try scripts.works(
            "a member that leaves the group says so in each of its sessions", ["R14.11-9"], setting, in: greater
        ) {
            try united($0)
            try $0.app("leave").hear(
                "1 ROSTER", "1 ACK", "1 CLOSE no_error", "2 ROSTER", "2 CLOSE no_error", "departed closed",
                "departed closed")
        }
    }

    // MARK: Bounds

    private func bounds(_ scripts: NodeWriter, _ sessions: [NodeWorld]) throws {
        let (greatest, me) = (sessions[sessions.count - 1], sessions[0].me)
        let (peer, setting) = (greatest.lesser[0], NodeSetting(who: me))
        try scripts.works(
            "of one branch eight UNITEs in a minute are followed, and the ninth is reported", ["R14.11-4"], setting,
            in: greatest
        ) {
            try linked($0, 1, peer)
            for session in sessions[1..<(sessions.count - 1)].reversed().prefix(8) {
                try $0.sends(1, try unite(peer, into: session, admitting: me)).hear("1 ENTER", "1 ROSTER", "united")
            }
            try $0.sends(1, try unite(peer, into: sessions[0], admitting: me)).hear("apart")
        }
        try scripts.works(
            "sixteen UNITEs of one peer are judged in a minute", ["R14.11-2"], flags: ["WrongChain"], setting,
            in: greatest
        ) {
            try linked($0, 1, peer)
            let (without, wrong) = (
                Wire.unite(sessions[0].community.charter, try sessions[0].chain(peer)),
                Wire.unite(sessions[0].community.charter, try greatest.chain(peer))
            )
            try $0.sends(1, without, times: 16).sends(1, wrong).hear([])
            try $0.clock(60_000).hear()
            try $0.sends(1, wrong).hear("1 CLOSE entry_invalid", "departed misbehaved")
        }
    }

    // MARK: The sessions that it comes from

    private func staying(_ scripts: NodeWriter, _ sessions: [NodeWorld]) throws {
        let (lesser, greater) = (sessions[0], sessions[1])
        let (me, peer, other) = (greater.me, greater.lesser[0], greater.lesser[1])
        let address = NodeWorld.address(9)
        func united(_ script: NodeScript) throws {
            try linked(script, 1, peer)
            try script.sends(1, try unite(peer, into: lesser, admitting: me)).hear("1 ENTER", "1 ROSTER", "united")
            try script.sends(1, Wire.enter(lesser.community.session), Wire.roster([try lesser.entry(peer)])).hear([])
        }
        try scripts.works(
            "it accepts INVITE in the session that it comes from, and sends UNITE there", ["R14.11-8", "R14.11-1"],
            NodeSetting(who: me), in: greater
        ) {
            try united($0)
            try $0.links(2, other).hear("2 ACCEPT", "2 CERTIFICATES", "2 READY", "2 ROSTER", "connected")
            try $0.sends(2, Wire.roster([try greater.entry(other)])).hear("2 UNITE")
        }
        try scripts.works(
            "a member of both is dialled in the lesser one alone", ["R14.11-8"],
            NodeSetting(who: me), in: greater
        ) {
            try united($0)
            try $0.sends(1, Wire.roster([try lesser.entry(other)])).hear()
            let known = try greater.entry(other, at: [address])
            try $0.links(2, greater.lesser[2], entry: try greater.entry(greater.lesser[2])).hear()
            try $0.sends(2, Wire.roster([known])).hear([]).clock(29_000).hear("1 ACK")
        }
        try scripts.works(
            "a member that the app has turned away is so in all sessions of the group", ["R14.11-9"],
            NodeSetting(who: me), in: greater
        ) {
            try united($0)
            try $0.app("disconnect", nil, peer).hear()
            try $0.connects(2, peer).invites(2, peer).hear()
        }
    }
}
