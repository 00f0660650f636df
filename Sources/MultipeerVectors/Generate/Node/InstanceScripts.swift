internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `node/instances`: how a member stays the one that is believed (SPEC §14.7).
struct InstanceScripts {
    let subject: SwiftSubject
    private typealias Wire = WireBytes
    private var base: UInt64 { NodeWorld.instance }

    func write() throws -> NodeWriter {
        let scripts = try NodeWriter("instances", section: "14.7", subject: subject)
        try runs(scripts)
        try twins(scripts)
        try neighbours(scripts)
        return scripts
    }

    /// A neighbour with the lesser key.
    private func neighbour(_ script: NodeScript, sequence: UInt64 = 0) throws {
        let who = script.world.lesser[0]
        try script.links(1, who, entry: try script.world.entry(who, sequence: sequence)).hear()
    }

    private func runs(_ scripts: NodeWriter) throws {
        let world = scripts.world
        for (instance, comment) in [
            (base - 1, "the clock is above the last run"), (base, "the clock stands at the last run"),
            (base + 5_000, "the clock went backwards"),
        ] {
            try scripts.works(
                "a new run: \(comment)", ["R14.7-1"], NodeSetting(who: world.me, instance: instance)
            ) { try neighbour($0) }
        }
        try scripts.works(
            "leaving and coming back: each entry has the next sequence", ["R14.3-4", "R14.7-1", "R14.9-1"],
            NodeSetting(who: world.me)
        ) {
            try neighbour($0)
            try $0.app("leave").hear("1 ROSTER", "1 CLOSE no_error", "departed closed")
            try $0.app("comeBack").hear([]).links(2, world.lesser[1]).hear()
        }
    }

    private func twins(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let setting = NodeSetting(who: world.me)
        func own(_ instance: UInt64, sequence: UInt64 = 0, name: String = "Me") throws -> [UInt8] {
            Wire.roster([try world.entry(world.me, instance: instance, sequence: sequence, name: name)])
        }
        try scripts.works(
            "a greater entry of itself is exceeded, once in 10 s; the third time the app is told", ["R14.7-2"], setting
        ) {
            try neighbour($0)
            try $0.sends(1, try own(base + 5, sequence: 3)).hear("1 ROSTER")
            try $0.sends(1, try own(base + 20)).hear([]).sends(1, try own(base + 15)).hear([])
            try $0.clock(9_999).hear([]).clock(1).hear("1 ROSTER")
            try $0.clock(10_000).sends(1, try own(base + 30)).hear("1 ROSTER", "twin")
        }
        try scripts.works(
            "a contradiction of itself is exceeded, and not reported as one", ["R14.7-2", "R14.4-2"],
            flags: ["Contradiction"], setting
        ) {
            try neighbour($0)
            try $0.sends(1, try own(base, name: "Another")).hear("1 ROSTER")
        }
        let crypto = subject.crypto
        let one = crypto.sha256(try world.entry(world.me, instance: base, name: "Me"))
        for (comment, isLesser) in [("greater", false), ("lesser", true)] {
            let other = try (1...64).lazy.map { try world.entry(world.me, instance: base, name: "Me \($0)") }
                .first { crypto.sha256($0).lexicographicallyPrecedes(one) == isLesser }
            guard let other else { throw GeneratorFault.cannotBuild("no contradiction with a \(comment) hash") }
            try scripts.works(
                "a contradiction of itself, with a \(comment) hash", ["R14.7-2"], flags: ["Contradiction"], setting
            ) {
                try neighbour($0)
                try $0.sends(1, Wire.roster([other])).hear("1 ROSTER")
            }
        }
        try scripts.works("a lesser entry of itself, and its own one, are dropped", ["R14.7-2"], setting) {
            try neighbour($0)
            try $0.sends(1, try own(base - 1, sequence: 7)).sends(1, try own(base)).hear([])
        }
        try scripts.works(
            "a greater entry of itself that does not verify", ["R14.7-2", "R14.3-2"], flags: ["BadSignature"], setting
        ) {
            try neighbour($0)
            let entry = try world.entry(world.me, instance: base + 5, name: "Me")
            try $0.sends(1, Wire.roster([world.spoiled(entry)])).hear("1 CLOSE entry_invalid", "departed misbehaved")
        }
        try scripts.works("the greatest instance cannot be exceeded", ["R14.7-2"], setting) {
            try neighbour($0)
            try $0.sends(1, try own(1 << 62 - 1)).hear("twin")
        }
        try scripts.works("while it has left, it stays left", ["R14.7-2"], setting) {
            try neighbour($0)
            try $0.sends(1, try own(base + 5)).hear("1 ROSTER")
            try $0.app("leave").hear("1 ROSTER", "1 CLOSE no_error", "departed closed")
        }
    }

    private func neighbours(_ scripts: NodeWriter) throws {
        let world = scripts.world
        let who = world.lesser[0]
        let setting = NodeSetting(who: world.me, entries: [try world.entry(who, instance: base + 9)])
        try scripts.works("a neighbour that has forgotten its entry gets it back", ["R14.7-3"], setting) {
            try $0.links(1, who).hear()
            try $0.sends(1, Wire.roster([try world.entry(who)])).hear("1 ROSTER")
            try $0.sends(1, Wire.roster([try world.entry(who, instance: base + 10)])).hear([])
        }
        try scripts.works("an older entry of somebody else is dropped", ["R14.7-3", "R14.4-1"], setting) {
            let other = world.lesser[1]
            try $0.links(1, other, entry: try world.entry(other)).hear()
            try $0.sends(1, Wire.roster([try world.entry(who)])).hear([])
        }
    }
}
