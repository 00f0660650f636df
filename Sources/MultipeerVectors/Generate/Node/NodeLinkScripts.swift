internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `node/links`: several links between two peers (SPEC §8.7).
struct NodeLinkScripts {
    let subject: SwiftSubject
    private typealias Wire = WireBytes

    func write() throws -> NodeWriter {
        let scripts = try NodeWriter("links", section: "8.7", subject: subject)
        try one(scripts)
        try crossing(scripts)
        try ready(scripts)
        try opening(scripts)
        try probing(scripts)
        try replaced(scripts)
        try answered(scripts)
        return scripts
    }

    /// INVITE to a session that its sender founds.
    private static func founded(
        by peer: Community.Member, nonce: UInt8 = 1, context: String = "", timeout: UInt64 = 30_000,
        parameters: [UInt8] = []
    ) throws -> [UInt8] {
        let charter = Wire.charter(
            founder: peer.key, nonce: [UInt8](repeating: nonce, count: 32), parameters: parameters)
        return Wire.invite(
            charter: charter, sessionKind: 1, preference: 2, timeout: timeout, context: Array(context.utf8))
    }

    private func one(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let peer = world.greater[0]
        let setting = NodeSetting(who: world.me)
        try scripts.works("one INVITE at a time for one group and peer", ["R8.7-2"], setting) {
            try $0.connects(1, peer).app("invite", 1).hear("1 INVITE")
            try $0.connects(2, peer).app("invite", 2).hear([])
            try $0.sends(1, Wire.accept(preference: 2)).hear("1 CERTIFICATES").app("invite", 2).hear([])
            try $0.sends(1, Wire.certificates(), Wire.ready).hear("1 READY", "1 ADMIT", "1 ROSTER", "connected")
            try $0.app("invite", 2).hear([])
            try $0.ends(1).hear("departed lost").app("invite", 2).hear("2 INVITE")
        }
        try scripts.works("the invitation of another peer is no hindrance", ["R8.7-2"], setting) {
            try $0.connects(1, peer).app("invite", 1).hear("1 INVITE")
            try $0.connects(2, world.greater[1]).app("invite", 2).hear("2 INVITE")
        }
    }

    /// Both invite, on two links: each INVITE is answered.
    private func crossing(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let nonce = world.samples.bytes32("a session of the node")
        for peer in [world.lesser[0], world.greater[0]] {
            let whose = NodeWorld.isLesser(peer, world.me) ? "peer's" : "own"
            try scripts.works(
                "both invite, and the \(whose) key is lesser: the app is asked, and both INVITEs wait", ["R8.2-10"],
                flags: ["CrossingInvitations"], NodeSetting(who: world.me)
            ) {
                try $0.connects(1, peer).app("invite", 1).hear("1 INVITE").connects(2, peer)
                try $0.invites(2, peer, kind: 0).hear("asked").app("accept", 2).hear("2 ACCEPT", "2 CERTIFICATES")
            }
            try scripts.works(
                "both found, and the \(whose) key is lesser: to invite is not to accept", ["R8.2-10"],
                flags: ["CrossingInvitations"], NodeSetting(who: world.me, isMember: false)
            ) {
                try $0.connects(1, peer).app("invite", 1, nonce: nonce).hear("1 INVITE").connects(2, peer)
                try $0.sends(2, try Self.founded(by: peer)).hear("asked").app("decline", 2)
                try $0.hear("2 DECLINE 1", "2 CLOSE no_error").ends(2).hear([])
                try $0.accepts(1).hear("1 CERTIFICATES", "1 READY", "1 ADMIT", "1 ROSTER", "connected")
            }
            let here = NodeWorld.address(1)
            try scripts.works(
                "both dial, and the \(whose) key is lesser: the other INVITE is accepted too", ["R14.8-2"],
                flags: ["CrossingInvitations"], NodeSetting(who: world.me, entries: [try world.entry(peer, at: [here])])
            ) {
                try $0.hear("dial c00002011267").reaches(1, peer, at: here).hear("1 PROOF", "1 INVITE")
                try $0.connects(2, peer).invites(2, peer).hear("2 ACCEPT", "2 CERTIFICATES")
            }
        }
    }

    /// Two links on which INVITE was accepted.
    private func ready(_ scripts: NodeWriter) throws {
        let world = scripts.world
        func agreed(_ script: NodeScript, _ peer: Community.Member) throws {
            try script.connects(1, peer).app("invite", 1).connects(2, peer).invites(2, peer).hear()
            try script.sends(1, Wire.accept(preference: 2)).hear("1 CERTIFICATES")
        }
        let (lesser, greater) = (world.lesser[0], world.greater[0])
        let setting = NodeSetting(who: world.me)
        try scripts.works("the controller sends READY on one of two links", ["R8.7-8"], setting) {
            try agreed($0, greater)
            try $0.sends(1, Wire.certificates()).hear("1 READY").sends(2, Wire.certificates()).hear([])
            try $0.sends(1, Wire.ready).hear("1 ADMIT", "1 ROSTER", "connected", "2 CLOSE duplicate_link")
        }
        try scripts.works("the link with READY ends: the other one gets READY", ["R8.7-8"], setting) {
            try agreed($0, greater)
            try $0.sends(1, Wire.certificates()).sends(2, Wire.certificates()).hear("1 READY")
            try $0.ends(1).hear("2 READY").sends(2, Wire.ready).hear("2 ROSTER", "connected")
        }
        try scripts.works("the link with READY has not opened after 10 s", ["R8.7-8"], setting) {
            try agreed($0, greater)
            try $0.sends(1, Wire.certificates()).hear("1 READY").clock(3_000).sends(2, Wire.certificates())
            try $0.clock(9_999).hear([]).clock(1).hear("1 CLOSE duplicate_link", "2 READY")
            try $0.sends(2, Wire.ready).hear("2 ROSTER", "connected")
        }
        try scripts.works("the peer that is not the controller sends READY on both links", ["R8.7-8"], setting) {
            try agreed($0, lesser)
            try $0.sends(1, Wire.certificates()).hear("1 READY").sends(2, Wire.certificates()).hear("2 READY")
            try $0.sends(2, Wire.ready).hear("2 ROSTER", "connected").sends(1, Wire.close(0x21)).hear()
        }
    }

    private func opening(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let (lesser, greater) = (world.lesser[0], world.greater[0])
        let setting = NodeSetting(who: world.me)
        for peer in [lesser, greater] {
            let isController = NodeWorld.isLesser(world.me, peer)
            let role = isController ? "the controller" : "the other peer"
            try scripts.works(
                "a link opens beside the local INVITE: \(role) closes that one", ["R8.7-3"], setting
            ) {
                try $0.connects(1, peer).app("invite", 1).hear("1 INVITE").connects(2, peer).invites(2, peer)
                try $0.sends(2, Wire.certificates(), Wire.ready)
                    .hear("1 CLOSE duplicate_link", "2 ACCEPT", "2 CERTIFICATES", "2 READY", "2 ROSTER", "connected")
            }
            let words = ["1 READY", "1 ADMIT", "1 ROSTER", "connected", "replaced"]
            try scripts.works(
                "a link opens while the app is asked about another one, at \(role)", ["R8.7-3", "R8.7-7"], setting
            ) {
                try $0.connects(1, peer).app("invite", 1).sends(1, Wire.accept(preference: 2)).hear()
                try $0.connects(2, peer).invites(2, peer, kind: 0).hear("asked")
                try $0.sends(1, Wire.certificates(), Wire.ready)
                    .hear(words + [isController ? "2 CLOSE duplicate_link" : "1 PING"])
            }
        }
        try scripts.works(
            "the open link is lost while another is under way: the departure waits for that one", ["R14.9-2"], setting
        ) {
            try $0.connects(2, greater).links(1, greater, entry: try world.entry(greater)).hear()
            try $0.invites(2, greater).hear("1 PING").ends(1).hear("2 ACCEPT", "2 CERTIFICATES")
            try $0.ends(2).hear("departed lost")
        }
        try scripts.works(
            "the open link is lost while another is under way, which opens", ["R14.9-2"], setting
        ) {
            try $0.connects(2, greater).links(1, greater, entry: try world.entry(greater)).hear()
            try $0.invites(2, greater).ends(1).hear()
            try $0.sends(2, Wire.certificates(), Wire.ready).hear("2 READY", "2 ROSTER")
        }
    }

    /// INVITE of a peer to which a link is open.
    private func probing(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let peer = world.lesser[0]
        let entry = try world.entry(peer)
        let setting = NodeSetting(who: world.me)
        func probed(_ script: NodeScript, kind: UInt8 = 2) throws {
            try script.links(1, peer, entry: entry).hear().connects(2, peer).invites(2, peer, kind: kind).hear("1 PING")
        }
        let first: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]
        try scripts.works("the peer is there on the open link: DECLINE 2", ["R8.7-7"], setting) {
            try probed($0)
            try $0.sends(1, Wire.frame(.pong, first)).hear("2 DECLINE 2", "2 CLOSE no_error").ends(2).hear([])
        }
        try scripts.works("nobody is asked while a link is open", ["R8.7-7"], setting) {
            try probed($0, kind: 0)
            try $0.clock(1_999).hear([]).sends(1, Wire.frame(.pong, first)).hear("2 DECLINE 2", "2 CLOSE no_error")
        }
        try scripts.works("the open link is silent for 2 s: it is lost, and the INVITE is judged", ["R8.7-7"], setting)
        {
            try probed($0)
            try $0.clock(1_999).hear([]).clock(1).hear("1 CLOSE silent", "2 ACCEPT", "2 CERTIFICATES")
        }
        try scripts.works("the app is asked once the open link has ended", ["R8.7-7", "R8.2-10"], setting) {
            try probed($0, kind: 0)
            try $0.ends(1).hear("asked").app("accept", 2).hear("2 ACCEPT", "2 CERTIFICATES")
        }
        try scripts.works("another record than PONG shows life, and the PONG is waited for", ["R8.7-7"], setting) {
            try probed($0)
            try $0.clock(1_500).sends(1, Wire.frame(.ping, [UInt8](repeating: 7, count: 8))).hear("1 PONG")
            try $0.clock(1_999).hear([]).clock(1).hear("1 CLOSE silent", "2 ACCEPT", "2 CERTIFICATES")
        }
        try scripts.works("a PONG that answers nothing is no answer", ["R8.7-7", "R13.7-2"], setting) {
            try probed($0)
            try $0.sends(1, Wire.frame(.pong, [UInt8](repeating: 9, count: 8))).hear([])
            try $0.clock(2_000).hear("1 CLOSE silent", "2 ACCEPT", "2 CERTIFICATES")
        }
        try scripts.works("the time of an INVITE that waits runs on", ["R8.7-7", "R8.2-4"], setting) {
            try $0.links(1, peer, entry: entry).hear().connects(2, peer)
            try $0.sends(2, try Self.founded(by: peer, timeout: 1_000)).hear("1 PING")
            try $0.clock(1_000).hear("2 DECLINE 4", "2 CLOSE no_error")
        }
    }

    private func replaced(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let peer = world.greater[0]
        let setting = NodeSetting(who: world.me)
        try scripts.works("an INVITE that waits for the app gives way to a new one", ["R8.7-5"], setting) {
            try $0.connects(1, peer).invites(1, peer, kind: 0).hear("asked").connects(2, peer)
            try $0.invites(2, peer, kind: 0).hear("1 CLOSE duplicate_link", "asked", "replaced")
            try $0.app("accept", 1).hear([]).app("accept", 2).hear("2 ACCEPT", "2 CERTIFICATES")
        }
        try scripts.works("an INVITE to another session of the same peer, too", ["R8.7-5"], setting) {
            try $0.connects(1, peer).invites(1, peer, kind: 0).hear("asked").connects(2, peer)
            try $0.sends(2, try Self.founded(by: peer)).hear("1 CLOSE duplicate_link", "asked", "replaced")
        }
        try scripts.works("an INVITE that was accepted gives way to a new one", ["R8.7-5"], setting) {
            try $0.connects(1, peer).invites(1, peer).hear("1 ACCEPT", "1 CERTIFICATES").connects(2, peer)
            try $0.invites(2, peer).hear("1 CLOSE duplicate_link", "2 ACCEPT", "2 CERTIFICATES")
        }
        try scripts.works(
            "one that the app has accepted does so too, and the app has nothing left to answer", ["R8.7-5"], setting
        ) {
            try $0.connects(1, peer).invites(1, peer, kind: 0).hear("asked").app("accept", 1)
            try $0.hear("1 ACCEPT", "1 CERTIFICATES").connects(2, peer)
            try $0.sends(2, try Self.founded(by: peer, parameters: Wire.field(4, [8])))
            try $0.hear("1 CLOSE duplicate_link", "asked")
        }
        try scripts.works("a local INVITE that was accepted does not", ["R8.7-5"], setting) {
            try $0.connects(1, peer).app("invite", 1).sends(1, Wire.accept(preference: 2))
                .hear("1 INVITE", "1 CERTIFICATES").connects(2, peer)
            try $0.invites(2, peer).hear("2 ACCEPT", "2 CERTIFICATES")
        }
        try scripts.works("an INVITE of another peer gives way to none", ["R8.7-5"], setting) {
            try $0.connects(1, peer).invites(1, peer, kind: 0).hear("asked").connects(2, world.greater[1])
            try $0.invites(2, world.greater[1], kind: 0).hear("asked")
        }
    }

    /// The app has answered the same INVITE before.
    private func answered(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let peer = world.greater[0]
        let setting = NodeSetting(who: world.me, isMember: false)
        func accepted(_ script: NodeScript) throws {
            try script.connects(1, peer).sends(1, try Self.founded(by: peer, context: "play?")).hear("asked")
            try script.app("accept", 1).hear("1 ACCEPT", "1 CERTIFICATES")
        }
        try scripts.works("the same INVITE comes again after a loss: the answer holds", ["R8.2-10"], setting) {
            try accepted($0)
            try $0.ends(1).hear("departed lost").clock(29_999).connects(2, peer)
            try $0.sends(2, try Self.founded(by: peer, context: "play?")).hear("2 ACCEPT", "2 CERTIFICATES")
        }
        try scripts.works("the answer holds for the time of the first INVITE", ["R8.2-10"], setting) {
            try accepted($0)
            try $0.ends(1).hear("departed lost").clock(30_000).connects(2, peer)
            try $0.sends(2, try Self.founded(by: peer, context: "play?")).hear("asked")
        }
        let cases: [(String, [UInt8])] = [
            ("another context", try Self.founded(by: peer, context: "work?")),
            ("other parameters", try Self.founded(by: peer, context: "play?", parameters: Wire.field(4, [8]))),
        ]
        for (what, invite) in cases {
            try scripts.works("the answer does not hold for \(what)", ["R8.2-10"], setting) {
                try accepted($0)
                try $0.ends(1).hear("departed lost").connects(2, peer).sends(2, invite).hear("asked")
            }
        }
        try scripts.works("a link that the peer closes ends the answer", ["R8.2-10"], setting) {
            try accepted($0)
            try $0.sends(1, Wire.close(0)).hear().ends(1).hear().connects(2, peer)
            try $0.sends(2, try Self.founded(by: peer, context: "play?")).hear("asked")
        }
        try scripts.works("the answer to one peer does not hold for another", ["R8.2-10"], setting) {
            try accepted($0)
            try $0.ends(1).hear("departed lost").connects(2, world.greater[1])
            try $0.sends(2, try Self.founded(by: world.greater[1], context: "play?")).hear("asked")
        }
    }
}
