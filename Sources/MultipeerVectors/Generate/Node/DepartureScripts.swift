internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `node/departures`: how connections to members end, and which are dialled then (SPEC §14.9).
struct DepartureScripts {
    let subject: SwiftSubject
    private typealias Wire = WireBytes
    private static let here = NodeWorld.address(1)
    private static let dial = "dial c00002011267"

    func write() throws -> NodeWriter {
        let scripts = try NodeWriter("departures", section: "14.9", subject: subject)
        try leaving(scripts)
        try told(scripts)
        try found(scripts)
        try blocked(scripts)
        try late(scripts)
        try standing(scripts)
        return scripts
    }

    /// A member with an address, linked.
    private func linked(_ script: NodeScript) throws {
        let peer = script.world.greater[0]
        try script.links(1, peer, entry: try script.world.entry(peer, at: [Self.here])).hear()
    }

    /// An entry of that member, which comes from somebody else.
    private func hears(_ script: NodeScript, instance: UInt64) throws {
        let peer = script.world.greater[0]
        try script.links(9, script.world.lesser[0]).hear()
        try script.sends(9, Wire.roster([try script.world.entry(peer, instance: instance, at: [Self.here])]))
    }

    private func leaving(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let peer = world.greater[0]
        let setting = NodeSetting(who: world.me)
        let left = Wire.roster([try world.entry(peer, sequence: 1, presence: 0, at: [Self.here])])
        try scripts.works(
            "the local member leaves: the entry goes before CLOSE, on each link", ["R14.9-1", "R14.6-1"], setting
        ) {
            try linked($0)
            try $0.links(2, world.lesser[0], entry: try world.entry(world.lesser[0])).hear()
            try $0.app("leave").hear(
                "1 ROSTER", "1 CLOSE no_error", "2 ROSTER", "2 CLOSE no_error", "departed closed", "departed closed")
            try $0.clock(60_000).hear([])
        }
        try scripts.works("the local member comes back, and dials the others", ["R14.9-1", "R14.9-3"], setting) {
            try linked($0)
            try $0.app("leave").hear("1 ROSTER", "1 CLOSE no_error", "departed closed")
            try $0.app("comeBack").hear(Self.dial)
        }
        try scripts.works("the member leaves", ["R14.9-2"], setting) {
            try linked($0)
            try $0.sends(1, left).hear([]).sends(1, Wire.close()).hear("1 CLOSE no_error", "departed left")
            try $0.clock(60_000).hear([])
        }
        try scripts.works(
            "the member's entry says that it leaves, and the link is lost", ["R14.9-2"], flags: ["Truncation"], setting
        ) {
            try linked($0)
            try $0.sends(1, left).ends(1).hear("departed left").clock(60_000).hear([])
        }
        try scripts.works("somebody else reports that the member has left; the link continues", ["R14.9-2"], setting) {
            try linked($0)
            try $0.links(2, world.lesser[0]).hear().sends(2, left).hear([])
            try $0.ends(1).hear("departed left")
        }
    }

    private func told(_ scripts: NodeWriter) throws {
        let setting = NodeSetting(who: scripts.world.me)
        for code in CloseCode.registry {
            let (departure, isDialled) = Self.told[code.code.rawValue] ?? ("failed", true)
            try scripts.works(
                "CLOSE of the member: \(code.name)", ["R14.9-2", "R14.9-3"], flags: ["ClosedByPeer"], setting
            ) {
                try linked($0)
                let isUnexplained = code.code == .duplicateLink
                try $0.sends(1, Wire.close(code.code.rawValue)).hear(
                    ["1 CLOSE no_error", "departed \(departure)"] + (isUnexplained ? ["twin"] : [])
                        + (isDialled ? [Self.dial] : []))
            }
        }
    }

    /// The rows of R14.9-2 for what a member says; every other code is *failed*. And whether the member is dialled
    /// then.
    private static let told: [UInt64: (String, Bool)] = {
        let refused: [CloseCode] = [
            .certificateRequired, .certificateRejected, .certificateExpired, .unknownAuthority, .codeWrong,
            .codeUnavailable, .stringsDiffer,
        ]
        let lost: [CloseCode] = [.silent, .internalError, .handshakeTimeout, .invitationTimeout, .verdictTimeout]
        var rows: [UInt64: (String, Bool)] = [
            CloseCode.noError.rawValue: ("closed", false), CloseCode.shuttingDown.rawValue: ("closed", true),
            CloseCode.duplicateLink.rawValue: ("lost", false),
        ]
        for code in refused { rows[code.rawValue] = ("refused", false) }
        for code in lost { rows[code.rawValue] = ("lost", true) }
        return rows
    }()

    private func found(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let setting = NodeSetting(who: world.me)
        try scripts.works("the stream ends", ["R14.9-2", "R14.9-3"], flags: ["Truncation"], setting) {
            try linked($0)
            try $0.ends(1).hear("departed lost", Self.dial)
        }
        try scripts.works(
            "a record does not verify: whoever is on the path did it", ["R14.9-2", "R14.9-3"],
            flags: ["ModifiedTag"], setting
        ) {
            try linked($0)
            try $0.sends(1, Wire.digest([UInt8](repeating: 7, count: 32)), fault: "tag")
                .hear("1 CLOSE decrypt_failed", "departed lost", Self.dial)
        }
        try scripts.works(
            "a frame that the local member does not know", ["R14.9-2", "R14.9-3"], flags: ["UnknownCritical"], setting
        ) {
            try linked($0)
            try $0.sends(1, Wire.even).hear("1 CLOSE unsupported", "departed failed", Self.dial)
        }
        try scripts.works("a frame that breaks a rule", ["R14.9-2", "R14.9-3"], flags: ["Truncated"], setting) {
            try linked($0)
            try $0.sends(1, Wire.frame(.roster)).hear("1 CLOSE malformed", "departed misbehaved")
            try $0.clock(300_000).hear([])
        }
        try scripts.works("the app closes: not dialled until it asks", ["R14.9-2", "R14.9-3"], setting) {
            try linked($0)
            try $0.app("disconnect", nil, world.greater[0]).hear("1 CLOSE no_error", "departed closed")
            try $0.clock(300_000).hear([]).app("dial", nil, world.greater[0]).hear(Self.dial)
        }
        try scripts.works("the app closes: no new run of the member lifts that", ["R14.9-3", "R14.8-2"], setting) {
            try linked($0)
            try $0.app("disconnect", nil, world.greater[0]).hear("1 CLOSE no_error", "departed closed")
            try hears($0, instance: NodeWorld.instance + 1)
            try $0.hear([]).clock(300_000).hear([]).app("dial", nil, world.greater[0]).hear(Self.dial)
        }
        try scripts.works("the app blocks: not dialled until that is lifted", ["R14.9-2", "R14.9-3"], setting) {
            try linked($0)
            try $0.app("block", nil, world.greater[0]).hear("1 CLOSE no_error", "departed closed")
            try hears($0, instance: NodeWorld.instance + 1)
            try $0.hear([]).app("lift", nil, world.greater[0]).hear(Self.dial)
        }
    }

    /// A block outlasts what else the app asks for.
    private func blocked(_ scripts: NodeWriter) throws {
        let (world, peer) = (scripts.world, scripts.world.greater[0])
        try scripts.works(
            "a peer that is blocked is neither dialled nor invited", ["R14.9-3"], NodeSetting(who: world.me)
        ) {
            try linked($0)
            try $0.app("block", nil, peer).hear("1 CLOSE no_error", "departed closed")
            try $0.app("dial", nil, peer).hear([]).connects(2, peer).app("invite", 2).hear([])
            try $0.app("lift", nil, peer).hear(Self.dial).app("invite", 2).hear("2 INVITE")
        }
    }

    /// Nobody is blamed for a deadline.
    private func late(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let peer = world.greater[0]
        let setting = NodeSetting(who: world.me)
        try scripts.works(
            "the member is silent", ["R14.9-2", "R14.9-3"], flags: ["Late"],
            NodeSetting(who: world.me, keepAlive: (6_000, 15_000))
        ) {
            try linked($0)
            try $0.clock(14_999).hear("1 PING", "1 PING").clock(1).hear(
                "1 CLOSE silent", "departed lost", Self.dial)
        }
        try scripts.works("no answer to the own INVITE", ["R14.9-2", "R8.2-4"], flags: ["Late"], setting) {
            try $0.connects(1, peer).app("invite", 1).hear("1 INVITE").clock(29_999).hear([])
            try $0.clock(1).hear("1 CANCEL 2", "1 CLOSE no_error", "departed lost")
        }
        try scripts.works("the app does not answer", ["R14.9-2", "R8.2-4"], flags: ["Late"], setting) {
            try $0.connects(1, peer).invites(1, peer, kind: 0).hear("asked").clock(29_999).hear([])
            try $0.clock(1).hear("1 DECLINE 4", "1 CLOSE no_error", "departed lost")
        }
        try scripts.works("the member takes its INVITE back", ["R14.9-2"], flags: ["Cancelled"], setting) {
            try $0.connects(1, peer).invites(1, peer, kind: 0).hear("asked")
            try $0.sends(1, Wire.cancel(1), Wire.close()).hear("1 CLOSE no_error", "departed refused")
        }
        try scripts.works("no CERTIFICATES come", ["R14.9-2"], flags: ["Late"], setting) {
            try $0.connects(1, peer).invites(1, peer).hear("1 ACCEPT", "1 CERTIFICATES").clock(59_999).hear([])
            try $0.clock(1).hear("1 CLOSE verdict_timeout", "departed lost")
        }
    }

    private func standing(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let setting = NodeSetting(who: world.me)
        let peer = world.greater[0]
        try scripts.works("closed in good order: dialled once its entry tells of a new run", ["R14.9-3"], setting) {
            try linked($0)
            try $0.sends(1, Wire.close()).hear("1 CLOSE no_error", "departed closed")
            try $0.clock(300_000).hear([])
            try hears($0, instance: NodeWorld.instance + 1)
            try $0.hear(Self.dial)
        }
        try scripts.works(
            "misbehaved: no new run and no INVITE lifts that, and the app does", ["R14.9-3", "R14.9-4"],
            flags: ["Truncated"], setting
        ) {
            try linked($0)
            try $0.sends(1, Wire.frame(.roster)).hear("1 CLOSE malformed", "departed misbehaved")
            try hears($0, instance: NodeWorld.instance + 1)
            try $0.hear([])
            try $0.connects(2, peer).invites(2, peer).hear("2 DECLINE 1", "2 CLOSE no_error", "departed refused")
            try $0.connects(3, peer).invites(3, peer, kind: 0)
                .hear("3 DECLINE 1", "3 CLOSE no_error", "departed refused")
            try $0.app("dial", nil, peer).hear(Self.dial)
            try $0.connects(4, peer).invites(4, peer).hear("4 ACCEPT", "4 CERTIFICATES")
        }
        try scripts.works(
            "misbehaved on one of two links: the other one closes as well", ["R14.9-2", "R14.9-4"],
            flags: ["UnexpectedFrame"], setting
        ) {
            try $0.connects(1, peer).app("invite", 1).hear("1 INVITE").connects(2, peer).invites(2, peer, kind: 0)
            // Both links are reported.
            try $0.hear("asked").sends(1, Wire.ready).hear(
                "1 CLOSE unexpected_frame", "2 DECLINE 1", "2 CLOSE no_error", "departed misbehaved",
                "departed misbehaved")
        }
        try scripts.works(
            "misbehaved while another INVITE waits for the open link to end", ["R14.9-4", "R8.7-7"],
            flags: ["UnexpectedFrame"], setting
        ) {
            try linked($0)
            try $0.connects(2, peer).invites(2, peer).hear("1 PING").sends(1, Wire.ready).hear(
                "1 CLOSE unexpected_frame", "2 DECLINE 1", "2 CLOSE no_error", "departed misbehaved",
                "departed misbehaved")
        }
        try scripts.works(
            "misbehaved: an app that asks for a peer without an entry does not lift that", ["R14.9-4"],
            flags: ["UnexpectedFrame"], setting
        ) {
            try $0.connects(1, peer).app("invite", 1).hear("1 INVITE").sends(1, Wire.ready)
            try $0.hear("1 CLOSE unexpected_frame", "departed misbehaved").app("dial", nil, peer).hear([])
            try $0.connects(2, peer).invites(2, peer, kind: 0)
                .hear("2 DECLINE 1", "2 CLOSE no_error", "departed refused")
            try $0.app("lift", nil, peer).connects(3, peer).invites(3, peer, kind: 0).hear("asked")
        }
        try scripts.works(
            "a duplicate_link that another link explains", ["R14.9-3"], flags: ["ClosedByPeer"], setting
        ) {
            try linked($0)
            try $0.connects(2, peer).invites(2, peer).hear("1 PING")
            try $0.sends(1, Wire.close(CloseCode.duplicateLink.rawValue))
                .hear("1 CLOSE no_error", "2 ACCEPT", "2 CERTIFICATES")
            try $0.ends(2).hear("departed lost", Self.dial)
        }
    }
}
