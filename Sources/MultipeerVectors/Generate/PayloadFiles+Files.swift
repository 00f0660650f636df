internal import MultipeerCore
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// FILE_OFFER and FILE_ACCEPT (SPEC §15.3).
extension PayloadFiles {
    /// A FILE_OFFER without fields.
    func offer(
        id: [UInt8] = [0], size: UInt64 = 1, tag: [UInt8] = FileOffer.noTag, type: UInt8 = 0, modified: [UInt8] = [0],
        manifest: UInt64 = 0, name: [UInt8] = Array("picture.png".utf8)
    ) -> [UInt8] {
        let kind = [type] + modified + WireBytes.varint(manifest)
        return id + WireBytes.varint(size) + tag + kind + WireBytes.vector(name)
    }

    func offer(_ cases: FrameCases) throws {
        cases.begin("FILE_OFFER", section: "15.3")
        let tag = Array(samples.bytes32("tag").prefix(16))
        let time = WireBytes.varint(1_795_000_000)
        try cases.accept("a file", ["R15.3-8"], offer(size: 70_000, tag: tag, modified: time) + [0])
        try cases.accept("a file that may be executed", ["R15.3-8"], offer(size: 70_000, tag: tag, type: 1) + [0])
        try cases.accept("a folder", ["R15.3-8"], offer(size: 70_000, tag: tag, type: 2, manifest: 40) + [0])
        try cases.accept(
            "a folder that is its manifest alone", ["R15.3-8"], offer(size: 40, type: 2, manifest: 40) + [0])
        try cases.accept("an empty folder", ["R15.3-8"], offer(size: 0, type: 2) + [0])
        try cases.accept(
            "the largest manifest", ["R15.3-8"], offer(size: 1 << 30, type: 2, manifest: 4_194_304) + [0])
        try cases.accept("an empty file", [], offer(size: 0) + [0])
        try cases.accept("the largest size", ["R15.3-8"], offer(id: [1], size: 1 << 53 - 1) + [0])
        try cases.accept("the latest time", [], offer(modified: WireBytes.varint(VarInt.maximum)) + [0])
        try cases.accept("255 bytes of name", [], offer(name: samples.letters(255)) + [0])
        try cases.accept(
            "a name that is no path for anyone decodes", ["R15.5-1"],
            offer(name: Array("../../etc/passwd\0".utf8)) + [0])
        try badOffers(cases)
        try cases.fieldLists(offer())
    }

    func badOffers(_ cases: FrameCases) throws {
        try cases.refuse("ValueOutOfRange", "size 2^53", ["R15.3-8"], offer(size: 1 << 53) + [0])
        for type in [3, 255] as [UInt8] {
            try cases.refuse(
                "UnknownCritical", "type \(type)", ["R15.3-8"], code: "unsupported", offer(type: type) + [0])
        }
        for type in [0, 1] as [UInt8] {
            try cases.refuse(
                "ValueOutOfRange", "type \(type) with a manifest", ["R15.3-8"],
                offer(size: 5, type: type, manifest: 1) + [0])
        }
        try cases.refuse(
            "ValueOutOfRange", "a manifest above size", ["R15.3-8"], offer(size: 5, type: 2, manifest: 6) + [0])
        try cases.refuse(
            "ValueOutOfRange", "a manifest of 4,194,305 bytes", ["R15.3-8"],
            offer(size: 1 << 30, type: 2, manifest: 4_194_305) + [0])
        try cases.refuse("LengthOutOfRange", "an empty name", ["R3.3-1"], offer(name: []) + [0])
        try cases.refuse("LengthOutOfRange", "256 bytes of name", ["R3.3-1"], offer(name: samples.letters(256)) + [0])
        try cases.refuse(
            "IllFormedText", "a name that is not UTF-8", ["R15.5-1"], section: "15.5", offer(name: [0xC3, 0x28]) + [0])
        try cases.refuse(
            "IllFormedText", "a surrogate in the name", ["R15.5-1"], section: "15.5",
            offer(name: [0xED, 0xA0, 0x80]) + [0])
        try cases.refuse("Truncated", "15 bytes of tag", ["R3.3-1"], Array(offer().prefix(17)))
        try cases.refuse(
            "NonMinimalInteger", "a time in a longer form", ["R3.2-1"], offer(modified: [0x40, 0]) + [0])
        try cases.refuse(
            "Precedence", "size 2^53 comes before type 3", ["R15.3-8", "R18-1"], offer(size: 1 << 53, type: 3) + [0])
        try cases.refuse(
            "Precedence", "type 3 comes before its manifest", ["R15.3-8", "R18-1"], code: "unsupported",
            offer(type: 3, manifest: 9) + [0])
        try cases.refuse(
            "Precedence", "a manifest that does not fit comes before an even field", ["R15.3-8", "R18-1"],
            offer(manifest: 1) + WireBytes.vector(WireBytes.field(2, [])))
    }

    func accept(_ cases: FrameCases) throws {
        cases.begin("FILE_ACCEPT", section: "15.3")
        let digest = samples.bytes32("digest")
        func accept(
            _ id: [UInt8] = [0], _ offset: UInt64 = 0, _ digest: [UInt8] = FileAccept.digestOfNothing,
            credit: UInt64 = FileAccept.usualCredit
        ) -> [UInt8] { id + WireBytes.varint(offset) + digest + WireBytes.varint(credit) }
        try cases.accept("from the beginning", ["R15.7-4"], accept() + [0])
        try cases.accept("the rest of a file", ["R15.3-9"], accept([2], 70_000, digest, credit: 5) + [0])
        try cases.accept("no credit", [], accept(credit: 0) + [0])
        try cases.accept("the largest id", [], accept(WireBytes.varint(VarInt.maximum)) + [0])
        try cases.accept("another hash of nothing decodes", [], accept([0], 0, digest) + [0])
        try cases.accept("the largest credit", ["R15.3-9"], accept(credit: VarInt.maximum) + [0])
        try cases.accept(
            "offset and credit are 2^62 − 1", ["R15.3-9"],
            accept([0], 1 << 52, digest, credit: VarInt.maximum - 1 << 52) + [0])
        try cases.refuse(
            "ValueOutOfRange", "offset and credit are 2^62", ["R15.3-9"],
            accept([0], 1 << 52, digest, credit: VarInt.maximum - 1 << 52 + 1) + [0])
        try cases.refuse(
            "ValueOutOfRange", "both are the largest", ["R15.3-9"],
            accept([0], VarInt.maximum, digest, credit: VarInt.maximum) + [0])
        try cases.refuse(
            "Precedence", "the sum comes before an even field", ["R15.3-9", "R18-1"],
            accept([0], VarInt.maximum, digest, credit: 1) + WireBytes.vector(WireBytes.field(2, [])))
        try cases.refuse("Truncated", "no id", ["R3.3-1"], [])
        try cases.refuse("Truncated", "31 bytes of hash", ["R3.3-1"], [0, 0] + digest.dropLast())
        try cases.refuse("Truncated", "no credit", ["R3.3-1"], [0, 0] + digest)
        try cases.refuse("NonMinimalInteger", "an id in a longer form", ["R3.2-1"], accept([0x40, 0]) + [0])
        try cases.fieldLists(accept([5]))
    }
}
