internal import MultipeerCore
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// How much a peer may send before the link is open: SPEC §19.
struct LimitScripts {
    let files: ScriptFiles

    func write() throws -> ScriptWriter {
        let scripts = files.writer("limits", section: "19")
        try scripts.fails(
            ScriptSetting(.responder), "limit_exceeded", "ExceedsLimit",
            "131,072 bytes of records before the link is open; the next header exceeds", ["R19-1"]
        ) { script in
            try script.shakeHands()
            let first = try script.record(try script.proof(), script.peerInfo())
            try script.bytes(first).hear()
            try fill(script, 131_072 - first.count)
            try script.hear().bytes([0x10, 0, 18])
        }
        try scripts.works(
            ScriptSetting(.initiator), "a record that would exceed by one byte", ["R19-1"], flags: ["ExceedsLimit"],
            end: .fails("limit_exceeded")
        ) { script in
            try script.shakeHands()
            let first = try script.record(try script.proof(), script.peerInfo())
            try script.bytes(first).hear()
            try fill(script, 65_535)
            try script.bytes([0x10] + WireBytes.u16(UInt16(131_072 - first.count - 65_535 - 3 + 1))).hear().end()
        }
        return scripts
    }

    /// Records of padding of `count` bytes in all.
    private func fill(_ script: Script, _ count: Int) throws {
        var left = count
        while left > 0 {
            // Not so little that the rest is no record.
            let length = left > 65_535 ? min(65_535, left - 1_000) : left
            // Header and tag, type, and a length of four bytes, or of two.
            let overhead = length - 19 - 1 - 4 >= 16_384 ? 5 : 3
            try script.send(script.padding(length - 19 - overhead))
            left -= length
        }
    }
}
