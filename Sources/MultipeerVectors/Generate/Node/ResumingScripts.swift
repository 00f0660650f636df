internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `node/resuming`: associations that continue over another link (SPEC §13.9).
struct ResumingScripts {
    let subject: SwiftSubject
    private typealias Wire = WireBytes

    func write() throws -> NodeWriter {
        let scripts = try NodeWriter("resuming", section: "13.9", subject: subject)
        try losing(scripts)
        try ending(scripts)
        try answering(scripts)
        try epochs(scripts)
        try moving(scripts)
        try dialling(scripts)
        try asking(scripts)
        try crossing(scripts)
        try members(scripts)
        try sessions(scripts)
        return scripts
    }

    func setting(_ world: NodeWorld) -> NodeSetting { NodeSetting(who: world.me, grace: 60_000) }

    /// A member is linked.
    func open(
        _ script: NodeScript, _ who: Community.Member, on link: Int = 1, at addresses: [MemberAddress] = []
    ) throws {
        let digest = NodeWorld.isLesser(script.world.me, who) ? ["\(link) DIGEST"] : []
        try script.links(link, who, entry: try script.world.entry(who, at: addresses)).hear(
            ["\(link) ACCEPT", "\(link) CERTIFICATES", "\(link) READY", "\(link) ROSTER", "connected"] + digest)
    }

    /// A member's link is lost.
    func lose(_ script: NodeScript, _ who: Community.Member) throws {
        try open(script, who)
        try script.ends(1).hear("reconnecting")
    }

    static let resumed = ["2 RESUMED", "2 ROSTER", "connected"]
    static let declined = ["2 DECLINE 6", "2 CLOSE no_error"]

    // MARK: What leaves an association resumable

    private func losing(_ scripts: NodeWriter) throws {
        let (world, peer) = (scripts.world, scripts.world.greater[0])
        let setting = setting(world)
        try scripts.works("a link is lost, and the grace time is over", ["R13.9-3", "R14.9-2"], setting) {
            try lose($0, peer)
            try $0.clock(59_999).hear([]).clock(1).hear("departed lost")
        }
        try scripts.works("RESUME is answered, and the own entry follows", ["R13.9-5", "R13.9-6", "R14.6-1"], setting) {
            try lose($0, peer)
            try $0.resumes(2, peer).hear(Self.resumed)
        }
        for code in [CloseCode.silent, .moved] {
            try scripts.works("CLOSE of \(code.registeredName) leaves it resumable", ["R13.9-3"], setting) {
                try open($0, peer)
                try $0.sends(1, Wire.close(code.rawValue)).hear("1 CLOSE no_error", "reconnecting")
                try $0.resumes(2, peer).hear(Self.resumed)
            }
        }
        var asking = setting
        asking.keepAlive = (5_000, 15_000)
        try scripts.works("the peer says nothing for 15 s", ["R13.7-3", "R13.9-3"], asking) {
            try open($0, peer)
            try $0.clock(15_000).hear("1 PING", "1 PING", "1 CLOSE silent", "reconnecting")
            try $0.resumes(2, peer).hear(Self.resumed)
        }
    }

    // MARK: What ends it

    private func ending(_ scripts: NodeWriter) throws {
        let (world, peer) = (scripts.world, scripts.world.greater[0])
        let setting = setting(world)
        try scripts.works("no grace time: nothing is resumable", ["R13.9-3", "R13.9-5"], NodeSetting(who: world.me)) {
            try open($0, peer)
            try $0.ends(1).hear("departed lost").resumes(2, peer).hear(Self.declined)
        }
        try scripts.works("the peer misbehaves on another link", ["R13.9-3", "R14.9-4"], setting) {
            try lose($0, peer)
            try $0.connects(2, peer).invites(2, peer).hear("2 ACCEPT", "2 CERTIFICATES").sends(2, Wire.frame(.ready))
            try $0.hear("2 CLOSE unexpected_frame", "departed misbehaved", "departed misbehaved")
            try $0.resumes(3, peer).hear("3 DECLINE 6", "3 CLOSE no_error")
        }
        try scripts.works(
            "the link of a member is lost that has left, as others know: nothing is resumable", ["R13.9-3", "R14.9-2"],
            setting
        ) {
            try open($0, peer)
            try $0.links(2, world.lesser[0]).hear().sends(
                2, Wire.roster([try world.entry(peer, sequence: 1, presence: 0)]))
            try $0.ends(1).hear("departed left").resumes(3, peer).hear("3 DECLINE 6", "3 CLOSE no_error")
        }
        let codes: [(CloseCode, [String])] = [
            (.noError, ["departed closed"]), (.shuttingDown, ["departed closed"]), (.internalError, ["departed lost"]),
            (.duplicateLink, ["departed lost", "twin"]), (.malformed, ["departed failed"]),
        ]
        for (code, words) in codes {
            try scripts.works("CLOSE of \(code.registeredName) ends it", ["R13.9-3", "R13.9-5"], setting) {
                try open($0, peer)
                try $0.sends(1, Wire.close(code.rawValue)).hear(["1 CLOSE no_error"] + words)
                try $0.resumes(2, peer).hear(Self.declined)
            }
        }
        try scripts.works("a fault of the peer ends it", ["R13.9-3"], flags: ["ValueOutOfRange"], setting) {
            try open($0, peer)
            try $0.sends(1, Wire.ack(63)).hear("1 CLOSE malformed", "departed misbehaved")
            try $0.resumes(2, peer).hear(Self.declined)
        }
        for what in ["disconnect", "block", "leave"] {
            try scripts.works("the app ends it: \(what)", ["R13.9-3"], setting) {
                try lose($0, peer)
                try $0.app(what, nil, what == "leave" ? nil : peer).hear("departed closed")
                try $0.resumes(2, peer).hear(Self.declined)
            }
        }
        try scripts.works("the member's entry says that it has left", ["R13.9-3", "R14.9-2"], setting) {
            let other = world.lesser[0]
            try open($0, peer)
            try open($0, other, on: 2)
            try $0.ends(1).hear("reconnecting")
            try $0.sends(2, Wire.roster([try world.entry(peer, sequence: 1, presence: 0)])).hear("departed left")
            try $0.resumes(3, peer).hear("3 DECLINE 6", "3 CLOSE no_error")
        }
        try scripts.works("a link that opens by READY ends it", ["R13.9-3"], setting) {
            try lose($0, peer)
            try $0.links(2, peer).hear(
                "2 ACCEPT", "2 CERTIFICATES", "2 READY", "2 ROSTER", "departed lost", "connected")
            try $0.resumes(3, peer).hear("3 DECLINE 6", "3 CLOSE no_error")
        }
    }

    // MARK: RESUME

    private func answering(_ scripts: NodeWriter) throws {
        let (world, peer) = (scripts.world, scripts.world.greater[0])
        let setting = setting(world)
        try scripts.works("an unknown association", ["R13.9-5"], flags: ["WrongKey"], setting) {
            try lose($0, peer)
            try $0.connects(2, peer).asks(2, fault: "association").hear(Self.declined)
        }
        try scripts.works(
            "another proof: the same answer, and the association stays", ["R13.9-5"], flags: ["WrongKey"], setting
        ) {
            try lose($0, peer)
            try $0.connects(2, peer).asks(2, fault: "proof").hear(Self.declined)
            try $0.resumes(3, peer).hear("3 RESUMED", "3 ROSTER", "connected")
        }
        try scripts.works("another peer names it, and has the secret", ["R13.9-5"], setting) {
            try lose($0, peer)
            try $0.resumes(2, world.lesser[0]).hear(Self.declined)
        }
        try scripts.works(
            "`received` above what was sent: the association stays", ["R13.6-2", "R13.9-5"], flags: ["ValueOutOfRange"],
            setting
        ) {
            try lose($0, peer)
            try $0.connects(2, peer).asks(2, received: 9).hear("2 CLOSE malformed")
            try $0.resumes(3, peer).hear("3 RESUMED", "3 ROSTER", "connected")
        }
        try scripts.works("a second RESUME on the link", ["R13.9-5"], flags: ["UnexpectedFrame"], setting) {
            try lose($0, peer)
            try $0.resumes(2, peer).hear(Self.resumed)
            try $0.asks(2, epoch: 1).hear("2 CLOSE unexpected_frame", "departed misbehaved")
        }
        try scripts.works("the peer had been invited there: RESUME is judged all the same", ["R13.9-7"], setting) {
            try lose($0, peer)
            try $0.clock(60_000).hear("departed lost").connects(2, peer).app("invite", 2).hear("2 INVITE")
            try $0.asks(2).hear(Self.declined)
        }
        try scripts.works("nobody is invited while the association is resumable", ["R8.7-2"], setting) {
            try lose($0, peer)
            try $0.connects(2, peer).app("invite", 2).hear([]).asks(2).hear(Self.resumed)
        }
    }

    private func epochs(_ scripts: NodeWriter) throws {
        let (world, peer) = (scripts.world, scripts.world.greater[0])
        let setting = setting(world)
        try scripts.works("an epoch one above the own", ["R13.9-5"], setting) {
            try lose($0, peer)
            try $0.resumes(2, peer, epoch: 1).hear(Self.resumed)
        }
        try scripts.works("an epoch two above the own", ["R13.9-5"], flags: ["ValueOutOfRange"], setting) {
            try lose($0, peer)
            try $0.resumes(2, peer, epoch: 2).hear("2 CLOSE malformed")
            try $0.resumes(3, peer).hear("3 RESUMED", "3 ROSTER", "connected")
        }
        try scripts.works("an epoch below one that RESUME has shown", ["R13.9-5"], flags: ["CrossedFrame"], setting) {
            try lose($0, peer)
            try $0.resumes(2, peer, epoch: 1).hear(Self.resumed)
            try $0.resumes(3, peer, epoch: 0).hear("3 CLOSE duplicate_link")
            try $0.resumes(4, peer, epoch: 1).hear("2 CLOSE moved", "4 RESUMED", "4 ROSTER")
        }
        try scripts.works(
            "an epoch below that of RESUMED, which PING has shown", ["R13.9-5"], flags: ["CrossedFrame"], setting
        ) {
            try lose($0, peer)
            try $0.resumes(2, peer).hear(Self.resumed)
            try $0.sends(2, Wire.ping()).hear("2 PONG").ends(2).hear("reconnecting")
            try $0.resumes(3, peer, epoch: 0).hear("3 CLOSE duplicate_link")
            try $0.resumes(4, peer, epoch: 1).hear("4 RESUMED", "4 ROSTER", "connected")
        }
        try scripts.works("CLOSE shows no RESUMED", ["R13.9-5"], setting) {
            try lose($0, peer)
            try $0.resumes(2, peer).hear(Self.resumed)
            try $0.sends(2, Wire.close(CloseCode.moved.rawValue)).hear("2 CLOSE no_error", "reconnecting")
            try $0.resumes(3, peer, epoch: 0).hear("3 RESUMED", "3 ROSTER", "connected")
        }
        try scripts.works("nothing came after RESUMED: the same epoch again", ["R13.9-5"], setting) {
            try lose($0, peer)
            try $0.resumes(2, peer).hear(Self.resumed).ends(2).hear("reconnecting")
            try $0.resumes(3, peer, epoch: 0).hear("3 RESUMED", "3 ROSTER", "connected")
        }
        try scripts.works(
            "`received` below what the peer has acknowledged: RESUME is late", ["R13.9-5"], flags: ["CrossedFrame"],
            setting
        ) {
            try open($0, peer)
            try $0.tells(peer, "a").hear("1 MESSAGE").sends(1, Wire.ack(1)).hear([]).ends(1).hear("reconnecting")
            try $0.resumes(2, peer, received: 0).hear("2 CLOSE duplicate_link")
            try $0.resumes(3, peer, received: 1).hear("3 RESUMED", "3 ROSTER", "connected")
        }
    }

    // MARK: What continues

    private func moving(_ scripts: NodeWriter) throws {
        let (world, peer) = (scripts.world, scripts.world.greater[0])
        let setting = setting(world)
        try scripts.works("what was lost goes first", ["R13.9-8"], setting) {
            try open($0, peer)
            try $0.tells(peer, "a").hear("1 MESSAGE").ends(1).hear("reconnecting")
            try $0.resumes(2, peer).hear("2 RESUMED", "2 MESSAGE", "2 ROSTER", "connected")
        }
        try scripts.works("what `received` counts does not go again", ["R13.9-5", "R13.9-8"], setting) {
            try open($0, peer)
            try $0.tells(peer, "a").hear("1 MESSAGE").ends(1).hear("reconnecting")
            try $0.resumes(2, peer, received: 1).hear(Self.resumed)
        }
        try scripts.works("a message for a member that is reconnecting", ["R13.9-8"], setting) {
            try lose($0, peer)
            try $0.tells(peer, "a").hear([]).resumes(2, peer).hear("2 RESUMED", "2 ROSTER", "2 MESSAGE", "connected")
        }
        try scripts.works("frames of the peer are counted over both links", ["R13.6-1", "R13.9-4"], setting) {
            try open($0, peer)
            try $0.sends(1, Wire.message([0x61])).hear([]).ends(1).hear("reconnecting")
            try $0.resumes(2, peer).hear(Self.resumed).sends(2, Wire.message([0x62])).clock(20).hear("2 ACK")
        }
        try scripts.works("an open link: it is closed with `moved`, and read no more", ["R13.9-4"], setting) {
            try open($0, peer)
            try $0.resumes(2, peer).hear("1 CLOSE moved", "2 RESUMED", "2 ROSTER")
            try $0.sends(1, Wire.message([0x61])).sends(2, Wire.message([0x62])).clock(20).hear("2 ACK")
        }
        try scripts.works("two links in turn: the last one counts", ["R13.9-4"], setting) {
            try lose($0, peer)
            try $0.resumes(2, peer).hear(Self.resumed)
            try $0.resumes(3, peer, epoch: 1).hear("2 CLOSE moved", "3 RESUMED", "3 ROSTER")
            try $0.sends(2, Wire.ping()).hear([])
        }
        try scripts.works("frames that go again, CREDIT, and the own entry, in this order", ["R13.9-8"], setting) {
            try open($0, peer)
            // The last one has the limit raised.
            try $0.sends(1, Wire.message([UInt8](repeating: 0x61, count: 20_000)), times: 7)
                .hear("1 ACK", "1 CREDIT")
            try $0.tells(peer, "a").hear("1 MESSAGE").ends(1).hear("reconnecting")
            try $0.resumes(2, peer).hear("2 RESUMED", "2 MESSAGE", "2 CREDIT", "2 ROSTER", "connected")
        }
    }

    private func dialling(_ scripts: NodeWriter) throws {
        let (peer, address) = (scripts.world.greater[0], NodeWorld.address(1))
        let dial = "dial " + Hexadecimal.encode(address.value)
        try scripts.works(
            "an address of the peer's entry is dialled 500 ms later, then every 15 s; after the loss once in 60 s",
            ["R13.9-10", "R14.8-5"], setting(scripts.world)
        ) {
            try open($0, peer, at: [address])
            try $0.ends(1).hear("reconnecting").clock(499).hear([]).clock(1).hear(dial)
            for _ in 1...3 { try $0.clock(14_999).hear([]).clock(1).hear(dial) }
            try $0.clock(14_500).hear("departed lost").clock(45_499).hear([]).clock(1).hear(dial)
        }
    }
}
