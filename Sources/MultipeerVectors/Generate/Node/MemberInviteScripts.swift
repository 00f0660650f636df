internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `node/member-invites`: INVITEs between members (SPEC §14.8).
struct MemberInviteScripts {
    let subject: SwiftSubject
    private typealias Wire = WireBytes

    func write() throws -> NodeWriter {
        let scripts = try NodeWriter("member-invites", section: "14.8", subject: subject)
        try reasons(scripts)
        try places(scripts)
        try asked(scripts)
        try verdicts(scripts)
        try vouching(scripts)
        return scripts
    }

    private static let accepted = ["1 ACCEPT", "1 CERTIFICATES"]

    private func declines(_ reason: Int, on link: Int = 1) -> [String] {
        ["\(link) DECLINE \(reason)", "\(link) CLOSE no_error", "departed refused"]
    }

    private func reasons(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let peer = world.greater[0]
        let setting = NodeSetting(who: world.me)
        try scripts.works("accepted without asking the app", ["R14.8-2", "R14.8-3"], setting) {
            try $0.connects(1, peer).invites(1, peer).hear(Self.accepted)
            try $0.sends(1, Wire.certificates(), Wire.ready).hear("1 READY", "1 ROSTER", "connected")
        }
        try scripts.works("no such session", ["R14.8-2"], NodeSetting(who: world.me, isMember: false)) {
            try $0.connects(1, peer).invites(1, peer).hear(declines(6))
        }
        try scripts.works("another session", ["R14.8-2"], setting) {
            let other = try NodeWorld(samples: world.samples, parameters: Wire.fields([(1, [])]))
            try $0.connects(1, peer).sends(1, try other.invite(peer, kind: 2)).hear(declines(6))
        }
        try scripts.works("a session that the local member has left", ["R14.8-2"], setting) {
            try $0.app("leave").connects(1, peer).invites(1, peer).hear(declines(6))
        }
        try scripts.works("a sender that is blocked, until that is lifted", ["R14.8-2"], setting) {
            try $0.app("block", nil, peer).connects(1, peer).invites(1, peer).hear(declines(1))
            try $0.app("lift", nil, peer).connects(2, peer).invites(2, peer).hear("2 ACCEPT", "2 CERTIFICATES")
        }
        try scripts.works(
            "reason 6 comes before reason 1", ["R14.8-2"], flags: ["Precedence"],
            NodeSetting(who: world.me, isMember: false)
        ) { try $0.app("block", nil, peer).connects(1, peer).invites(1, peer).hear(declines(6)) }
        try scripts.works("a sender that is blocked and invites to join", ["R14.8-2"], setting) {
            try $0.app("block", nil, peer).connects(1, peer).invites(1, peer, kind: 0).hear(declines(1))
        }
    }

    private func places(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let (first, second) = (world.greater[0], world.greater[1])
        let here = NodeWorld.address(1)
        try scripts.works(
            "no more members are taken; once they are, the one that was declined is dialled", ["R14.8-2", "R14.9-3"],
            NodeSetting(who: world.me, maximumLinks: 1)
        ) {
            try $0.links(1, first, entry: try world.entry(first)).hear()
            try $0.sends(1, Wire.roster([try world.entry(second, at: [here])])).hear([])
            try $0.connects(2, second).invites(2, second).hear(declines(7, on: 2))
            try $0.ends(1).hear("departed lost", "dial c00002011267")
        }
        try scripts.works(
            "reason 1 comes before reason 7", ["R14.8-2"], flags: ["Precedence"],
            NodeSetting(who: world.me, maximumLinks: 1)
        ) {
            try $0.links(1, first, entry: try world.entry(first)).hear().app("block", nil, second)
            try $0.connects(2, second).invites(2, second).hear(declines(1, on: 2))
        }
    }

    private func asked(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let peer = world.greater[0]
        let setting = NodeSetting(who: world.me)
        let entry = try world.entry(peer)
        try scripts.works(
            "the app has closed the last link: it is asked until it accepts", ["R14.8-2", "R14.9-2"], setting
        ) {
            try $0.links(1, peer, entry: entry).hear()
            try $0.app("disconnect", nil, peer).hear("1 CLOSE no_error", "departed closed")
            try $0.connects(2, peer).invites(2, peer).hear("asked")
            try $0.app("accept", 2).hear("2 ACCEPT", "2 CERTIFICATES").ends(2).hear("departed lost")
            try $0.connects(3, peer).invites(3, peer).hear("3 ACCEPT", "3 CERTIFICATES")
        }
        try scripts.works("the app has declined the last INVITE", ["R14.8-2"], setting) {
            try $0.connects(1, peer).invites(1, peer, kind: 0).hear("asked")
            try $0.app("decline", 1).hear(declines(1))
            try $0.connects(2, peer).invites(2, peer).hear("asked")
        }
        try scripts.works("the app has asked for the member since", ["R14.8-2"], setting) {
            try $0.links(1, peer, entry: entry).hear().app("disconnect", nil, peer).hear().app("dial", nil, peer)
            try $0.connects(2, peer).invites(2, peer).hear("2 ACCEPT", "2 CERTIFICATES")
        }
    }

    private func verdicts(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let peer = world.greater[0]
        let here = NodeWorld.address(1)
        let entries = [try world.entry(peer, at: [here])]
        try scripts.works(
            "membership is no verdict: the peer is refused, and not dialled again", ["R14.8-3", "R14.9-2", "R14.9-3"],
            flags: ["Rejected"], NodeSetting(who: world.me, entries: entries, refuses: [peer])
        ) {
            try $0.hear("dial c00002011267").fails(here).connects(1, peer).invites(1, peer).hear(Self.accepted)
            try $0.sends(1, Wire.certificates()).hear("1 CLOSE certificate_rejected", "departed refused")
            try $0.clock(300_000).hear([])
        }
        try scripts.works(
            "the remote member refuses the local one until its own next run", ["R14.9-2", "R14.9-3"],
            flags: ["Rejected"],
            NodeSetting(who: world.me, entries: entries)
        ) {
            try $0.hear("dial c00002011267").reaches(1, peer, at: here).hear("1 PROOF", "1 INVITE")
            try $0.sends(1, Wire.accept(preference: 2), Wire.certificates(), Wire.close(0x11)).hear()
            try $0.clock(300_000).hear([]).links(2, world.lesser[0]).hear()
            let entry = try world.entry(peer, instance: NodeWorld.instance + 1, at: [here])
            try $0.sends(2, Wire.roster([entry])).hear("dial c00002011267")
        }
        try scripts.works(
            "the member declines with reason 1, and invites later", ["R14.9-2", "R14.9-3"], flags: ["Declined"],
            NodeSetting(who: world.me, entries: entries)
        ) {
            try $0.hear("dial c00002011267").reaches(1, peer, at: here).hear("1 PROOF", "1 INVITE")
            try $0.sends(1, Wire.decline(1), Wire.close()).hear("1 CLOSE no_error", "departed refused")
            try $0.clock(300_000).hear([]).links(2, peer).hear().ends(2).hear("departed lost", "dial c00002011267")
        }
        try scripts.works(
            "the member is busy: it is dialled again", ["R14.9-2", "R14.9-3"], flags: ["Declined"],
            NodeSetting(who: world.me, entries: entries)
        ) {
            try $0.hear("dial c00002011267").reaches(1, peer, at: here).hear("1 PROOF", "1 INVITE")
            try $0.sends(1, Wire.decline(2), Wire.close()).hear("1 CLOSE no_error", "departed lost")
            try $0.clock(59_999).hear([]).clock(1).hear("dial c00002011267")
        }
    }

    /// A member vouches for those that it admits (R14.9-5).
    private func vouching(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let (mallory, sybil, other) = (world.lesser[0], world.greater[0], world.lesser[1])
        let here = NodeWorld.address(1)
        let setting = NodeSetting(who: world.me)
        let requirements = ["R14.8-2", "R14.9-5"]
        let invite = try world.invite(sybil, kind: 2, via: [mallory])
        func accepted(_ link: Int) -> [String] { ["\(link) ACCEPT", "\(link) CERTIFICATES"] }
        try scripts.works(
            "a member that somebody has admitted who is blocked, until that is lifted", requirements,
            flags: ["Rejected"],
            section: "14.9", setting
        ) {
            try $0.app("block", nil, mallory).connects(1, sybil).sends(1, invite).hear(declines(1))
            try $0.app("lift", nil, mallory).connects(2, sybil).sends(2, invite).hear(accepted(2))
        }
        try scripts.works(
            "a member that somebody has admitted who has misbehaved, and one further down", requirements,
            flags: ["Rejected"], section: "14.9", setting
        ) {
            try $0.links(1, mallory, entry: try world.entry(mallory)).hear()
            try $0.sends(1, Wire.frame(.digest)).hear("1 CLOSE malformed", "departed misbehaved")
            try $0.connects(2, sybil).sends(2, invite).hear(declines(1, on: 2))
            let further = world.greater[1]
            try $0.connects(3, further).sends(3, try world.invite(further, kind: 2, via: [sybil, mallory]))
                .hear(declines(1, on: 3))
            try $0.connects(4, other).sends(4, try world.invite(other, kind: 2)).hear(accepted(4))
        }
        try scripts.works(
            "a member that somebody has admitted to whom the app has closed the last link: the app is asked",
            requirements,
            section: "14.9", setting
        ) {
            try $0.links(1, mallory, entry: try world.entry(mallory)).hear().app("disconnect", nil, mallory).hear()
            try $0.connects(2, sybil).sends(2, invite).hear("asked")
        }
        try scripts.works(
            "the entry has another chain than INVITE: both are looked at", requirements, flags: ["Rejected"],
            section: "14.9", NodeSetting(who: world.me, entries: [try world.entry(sybil, via: [mallory])])
        ) {
            try $0.app("block", nil, mallory).connects(1, sybil).invites(1, sybil).hear(declines(1))
        }
        try scripts.works(
            "a link under way, whose peer somebody has admitted who is blocked meanwhile, is closed when it opens",
            ["R14.9-5"], section: "14.9", setting
        ) {
            try $0.connects(1, sybil).sends(1, invite).hear(accepted(1)).app("block", nil, mallory).hear([])
            try $0.sends(1, Wire.certificates(), Wire.ready).hear(
                "1 READY", "1 ROSTER", "1 CLOSE no_error", "departed lost")
        }
        try scripts.works(
            "what is held against the founder counts for those whom nobody else has admitted: the app is asked",
            requirements,
            section: "14.9", setting
        ) {
            try $0.app("block", nil, world.founder).connects(1, other).invites(1, other).hear("asked")
            try $0.connects(2, sybil).sends(2, invite).hear(accepted(2))
        }
        try scripts.works(
            "who was linked before is judged by what it did", requirements, section: "14.9", setting
        ) {
            try $0.connects(1, sybil).sends(1, invite).hear(accepted(1))
            try $0.sends(1, Wire.certificates(), Wire.ready).hear("1 READY", "1 ROSTER", "connected")
            try $0.ends(1).hear("departed lost").app("block", nil, mallory)
            try $0.connects(2, sybil).sends(2, invite).hear(accepted(2))
        }
        try scripts.works(
            "who was admitted by somebody who is blocked is not dialled until the app asks", ["R14.9-3", "R14.9-5"],
            section: "14.9", setting
        ) {
            try $0.app("block", nil, mallory).links(1, other, entry: try world.entry(other)).hear()
            try $0.sends(1, Wire.roster([try world.entry(sybil, at: [here], via: [mallory])])).hear([]).clock(5_000)
                .hear([])
            try $0.app("dial", nil, sybil).hear("dial c00002011267")
        }
    }
}
