internal import MultipeerCore
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// The chain of admissions in INVITE (R8.2-7).
extension InvitationFiles {
    /// The sender's chain of admissions (R8.2-7). Its signatures are not judged here.
    func chains(_ cases: FrameCases, _ rest: [UInt8]) throws {
        func chain(_ count: Int) -> [UInt8] { samples.bytes(count, "chain") }
        func invite(_ kind: UInt8, _ fields: [UInt8]) -> [UInt8] {
            charter() + [kind] + rest + WireBytes.vector(fields)
        }
        func field(_ count: Int) -> [UInt8] { WireBytes.field(2, chain(count)) }
        for (kind, name) in [(0, "a session that exists"), (2, "a session of both")] as [(UInt8, String)] {
            try cases.accept("\(name): an empty chain", ["R8.2-7"], invite(kind, field(0)))
            try cases.accept("\(name): one admission", ["R8.2-7"], invite(kind, field(96)))
            try cases.accept("\(name): eight admissions", ["R8.2-7"], invite(kind, field(768)))
            try cases.refuse("MissingField", "\(name): no chain", ["R8.2-7"], invite(kind, []))
            try cases.refuse("CutElement", "\(name): 95 bytes of chain", ["R8.2-7"], invite(kind, field(95)))
            try cases.refuse("CutElement", "\(name): 97 bytes of chain", ["R8.2-7"], invite(kind, field(97)))
            try cases.refuse("LengthOutOfRange", "\(name): nine admissions", ["R8.2-7"], invite(kind, field(864)))
        }
        try cases.accept(
            "an odd field before the chain, and one after it", ["R8.2-7", "R3.4-2"], flags: ["UnknownIgnorable"],
            invite(0, WireBytes.field(1, [7]) + field(96) + WireBytes.field(3, [])))
        try cases.refuse("ForbiddenField", "a new session with a chain", ["R8.2-7"], invite(1, field(0)))
        try cases.refuse(
            "Precedence", "a chain of 95 bytes comes before an even field", ["R8.2-7", "R18-1"],
            invite(0, field(95) + WireBytes.field(4, [])))
        try cases.refuse(
            "Precedence", "an even field comes before a chain that should not be there", ["R8.2-7", "R18-1"],
            code: "unsupported", invite(1, field(0) + WireBytes.field(4, [])))
        try cases.refuse(
            "Precedence", "an even field comes before a chain that is missing", ["R8.2-7", "R18-1"],
            code: "unsupported", invite(2, WireBytes.field(4, [])))
        try cases.refuse(
            "TrailingBytes", "a byte after the fields with the chain", ["R3.3-2"], invite(2, field(96)) + [0])
    }
}
