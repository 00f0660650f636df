internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `node/links`: several links between two peers (SPEC §8.7).
struct NodeLinkScripts {
    let subject: SwiftSubject
    private typealias Wire = WireBytes

    func write() throws -> NodeWriter {
        let scripts = try NodeWriter("links", section: "8.7", subject: subject)
        try crossing(scripts)
        try lost(scripts)
        try one(scripts)
        try replaced(scripts)
        try overtaken(scripts)
        try new(scripts)
        return scripts
    }

    private func crossing(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let (lesser, greater) = (world.lesser[0], world.greater[0])
        let setting = NodeSetting(who: world.me)
        func invited(_ script: NodeScript, _ peer: Community.Member) throws {
            try script.connects(1, peer).app("invite", 1).hear("1 INVITE").connects(2, peer).hear([])
        }
        try scripts.works(
            "both invite, and the peer's key is lesser: its INVITE stands, and the app is asked", ["R8.7-1"],
            flags: ["CrossingInvitations"], setting
        ) {
            try invited($0, lesser)
            try $0.invites(2, lesser, kind: 0).hear("1 CLOSE duplicate_link", "asked")
            try $0.app("accept", 2).hear("2 ACCEPT", "2 CERTIFICATES")
        }
        try scripts.works(
            "both invite, and the own key is lesser: the own INVITE stands", ["R8.7-1"],
            flags: ["CrossingInvitations"], setting
        ) {
            try invited($0, greater)
            try $0.invites(2, greater, kind: 0).hear("2 DECLINE 5", "2 CLOSE no_error")
            try $0.accepts(1).hear("1 CERTIFICATES", "1 READY", "1 ADMIT", "1 ROSTER", "connected")
        }
        let here = NodeWorld.address(1)
        for (peer, words) in [
            (lesser, ["1 CLOSE duplicate_link", "2 ACCEPT", "2 CERTIFICATES"]),
            (greater, ["2 DECLINE 5", "2 CLOSE no_error"]),
        ] {
            try scripts.works(
                "both dial, and the \(NodeWorld.isLesser(peer, world.me) ? "peer's" : "own") key is lesser",
                ["R8.7-1", "R14.8-2"], flags: ["CrossingInvitations"],
                NodeSetting(who: world.me, entries: [try world.entry(peer, at: [here])])
            ) {
                try $0.hear("dial c00002011267").reaches(1, peer, at: here).hear("1 PROOF", "1 INVITE")
                try $0.connects(2, peer).invites(2, peer).hear(words)
            }
        }
        try scripts.works("an INVITE to another session has nothing to do with the own one", ["R8.7-1"], setting) {
            try invited($0, lesser)
            try $0.sends(2, try Self.founded(by: lesser)).hear("asked")
            try $0.accepts(1).hear("1 CERTIFICATES", "1 READY", "1 ADMIT", "1 ROSTER", "connected")
        }
    }

    /// INVITE to a session that its sender founds.
    private static func founded(by peer: Community.Member) throws -> [UInt8] {
        Wire.invite(charter: Wire.charter(founder: peer.key), sessionKind: 1, preference: 2)
    }

    private func lost(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let peer = world.greater[0]
        try scripts.works(
            "the peer continues to invite: 10 s after the first DECLINE the own link is taken for lost", ["R8.7-4"],
            flags: ["CrossingInvitations"], NodeSetting(who: world.me)
        ) {
            try $0.connects(1, peer).app("invite", 1).hear("1 INVITE").clock(1_000)
            try $0.connects(2, peer).invites(2, peer, kind: 0).hear("2 DECLINE 5", "2 CLOSE no_error")
            try $0.clock(9_999).connects(3, peer).invites(3, peer, kind: 0).hear("3 DECLINE 5", "3 CLOSE no_error")
            try $0.clock(1).connects(4, peer).invites(4, peer, kind: 0).hear("1 CLOSE duplicate_link", "asked")
        }
    }

    private func one(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let peer = world.greater[0]
        let setting = NodeSetting(who: world.me)
        try scripts.works("one INVITE at a time for one session and peer", ["R8.7-2"], setting) {
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

    private func replaced(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let peer = world.lesser[0]
        let entry = try world.entry(peer)
        let setting = NodeSetting(who: world.me)
        let opening = ["2 ACCEPT", "2 CERTIFICATES", "2 READY", "2 ROSTER"]
        try scripts.works(
            "a link opens beside one that is open: the older is closed, and the member has been there all the time",
            ["R8.7-3", "R14.9-2"], setting
        ) {
            try $0.links(1, peer, entry: entry).hear()
            try $0.links(2, peer).hear(opening + ["1 CLOSE duplicate_link"])
        }
        try scripts.works(
            "the open link is lost while another is under way: the departure waits for that one", ["R14.9-2"], setting
        ) {
            try $0.links(1, peer, entry: entry).hear()
            try $0.connects(2, peer).invites(2, peer).hear("2 ACCEPT", "2 CERTIFICATES").ends(1).hear([])
            try $0.ends(2).hear("departed lost")
        }
        try scripts.works(
            "the open link is lost while another is under way, which opens", ["R14.9-2", "R8.7-3"], setting
        ) {
            try $0.links(1, peer, entry: entry).hear()
            try $0.connects(2, peer).invites(2, peer).ends(1).hear("2 ACCEPT", "2 CERTIFICATES")
            try $0.sends(2, Wire.certificates(), Wire.ready).hear("2 READY", "2 ROSTER")
        }
        try scripts.works("an INVITE that waits for the app gives way to a new one", ["R8.7-5"], setting) {
            try $0.connects(1, peer).invites(1, peer, kind: 0).hear("asked").connects(2, peer)
            try $0.invites(2, peer, kind: 0).hear("1 CLOSE duplicate_link", "asked", "replaced")
            try $0.app("accept", 1).hear([]).app("accept", 2).hear("2 ACCEPT", "2 CERTIFICATES")
        }
        try scripts.works("an INVITE that was accepted gives way to a new one", ["R8.7-5"], setting) {
            try $0.connects(1, peer).invites(1, peer).hear("1 ACCEPT", "1 CERTIFICATES").connects(2, peer)
            try $0.invites(2, peer).hear("1 CLOSE duplicate_link", "2 ACCEPT", "2 CERTIFICATES")
        }
        try scripts.works(
            "the own INVITE was accepted, and its link gives way to the peer's new INVITE", ["R8.7-5"], setting
        ) {
            try $0.connects(1, peer).app("invite", 1).sends(1, Wire.accept(preference: 2))
                .hear("1 INVITE", "1 CERTIFICATES").connects(2, peer)
            try $0.invites(2, peer).hear("1 CLOSE duplicate_link", "2 ACCEPT", "2 CERTIFICATES")
        }
    }

    /// The ACCEPT of the own INVITE comes before one that crossed it on the other link.
    private func overtaken(_ scripts: NodeWriter) throws {
        let setting = NodeSetting(who: scripts.world.me)
        let peer = scripts.world.greater[0]
        func accepted(_ script: NodeScript) throws {
            try script.connects(1, peer).connects(2, peer).clock(1).app("invite", 1)
            try script.sends(1, Wire.accept(preference: 2)).hear("1 INVITE", "1 CERTIFICATES")
        }
        try scripts.works("the ACCEPT of the own INVITE has overtaken the peer's INVITE", ["R8.7-6"], setting) {
            try accepted($0)
            try $0.clock(9_999).invites(2, peer).hear("2 DECLINE 5", "2 CLOSE no_error")
            try $0.sends(1, Wire.certificates(), Wire.ready)
                .hear("1 READY", "1 ADMIT", "1 ROSTER", "connected")
        }
        try scripts.works(
            "10 s after the ACCEPT an INVITE for the same session is a new one", ["R8.7-6", "R8.7-5"], setting
        ) {
            try accepted($0)
            try $0.clock(10_000).invites(2, peer).hear("1 CLOSE duplicate_link", "2 ACCEPT", "2 CERTIFICATES")
        }
        try scripts.works(
            "a link that was connected behind the ACCEPT carries a new INVITE", ["R8.7-6", "R8.7-5"], setting
        ) {
            try $0.connects(1, peer).app("invite", 1).sends(1, Wire.accept(preference: 2))
                .hear("1 INVITE", "1 CERTIFICATES").clock(1).connects(2, peer)
            try $0.invites(2, peer).hear("1 CLOSE duplicate_link", "2 ACCEPT", "2 CERTIFICATES")
        }
    }

    private func new(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let nonce = world.samples.bytes32("a session of the node")
        let setting = NodeSetting(who: world.me, isMember: false)
        func invited(_ script: NodeScript, _ peer: Community.Member) throws {
            try script.connects(1, peer).app("invite", 1, nonce: nonce).hear("1 INVITE")
        }
        for (peer, words) in [
            (world.greater[0], ["2 DECLINE 5", "2 CLOSE no_error"]), (world.lesser[0], ["asked"]),
        ] {
            let isLesser = NodeWorld.isLesser(peer, world.me)
            try scripts.works(
                "both have founded, the own INVITE was accepted, and the \(isLesser ? "peer's" : "own") key is lesser",
                ["R8.7-6"], flags: ["CrossingInvitations"], setting
            ) {
                try invited($0, peer)
                try $0.accepts(1).hear("1 CERTIFICATES", "1 READY", "1 ADMIT", "1 ROSTER", "connected")
                try $0.clock(9_999).connects(2, peer).sends(2, try Self.founded(by: peer)).hear(words)
            }
        }
        try scripts.works("10 s after the ACCEPT the two have not crossed", ["R8.7-6"], setting) {
            try invited($0, world.greater[0])
            try $0.accepts(1).hear().clock(10_000).connects(2, world.greater[0])
            try $0.sends(2, try Self.founded(by: world.greater[0])).hear("asked")
        }
        try scripts.works(
            "the link of the own INVITE has ended, so the peer's is a new one", ["R8.7-6"],
            flags: ["CrossingInvitations"], setting
        ) {
            try invited($0, world.greater[0])
            try $0.accepts(1).hear().ends(1).hear("departed lost")
            try $0.connects(2, world.greater[0]).sends(2, try Self.founded(by: world.greater[0])).hear("asked")
        }
        try scripts.works(
            "two INVITEs to new sessions merge where the peer's key is lesser", ["R8.7-1", "R8.6-3"],
            flags: ["CrossingInvitations"], setting
        ) {
            try invited($0, world.lesser[0])
            try $0.connects(2, world.lesser[0]).sends(2, try Self.founded(by: world.lesser[0]))
                .hear("1 CLOSE duplicate_link", "2 ACCEPT", "2 CERTIFICATES")
        }
        try scripts.works(
            "two INVITEs to new sessions, and the own key is lesser", ["R8.7-1"], flags: ["CrossingInvitations"],
            setting
        ) {
            try invited($0, world.greater[0])
            try $0.connects(2, world.greater[0]).sends(2, try Self.founded(by: world.greater[0]))
                .hear("2 DECLINE 5", "2 CLOSE no_error")
        }
    }
}
