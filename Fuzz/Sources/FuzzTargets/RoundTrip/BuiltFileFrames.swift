import FuzzSupport
import MultipeerWire

/// The control frames of files (SPEC §15.3, §15.4).
enum BuiltFileFrames {
    static func offer(_ choices: inout Choices) throws {
        let (id, size) = (Values.varint(&choices), Values.varint(&choices))
        let (tag, kind) = (Values.exactly(16, &choices), choices.pick(FileKind.allCases))
        let (modified, manifest) = (Values.varint(&choices), choices.int(below: 4) == 0 ? Values.varint(&choices) : 0)
        let (name, fields) = (Values.text(&choices, limit: 255), Values.fields(&choices))
        let hasManifest = kind == .folder && manifest <= size && manifest <= 4_194_304
        try WrittenFrame.check(
            FileOffer(
                id: id, size: size, tag: tag, kind: kind, modified: modified, manifest: manifest, name: name,
                fields: fields.list),
            isLegal: size <= 9_007_199_254_740_991 && (hasManifest || manifest == 0)
                && (1...255).contains(name.count) && Values.isText(name) && fields.areLegal)
    }

    static func accept(_ choices: inout Choices) throws {
        let (id, offset) = (Values.varint(&choices), Values.varint(&choices))
        let (digest, credit) = (Values.exactly(32, &choices), Values.varint(&choices))
        let fields = Values.fields(&choices)
        try WrittenFrame.check(
            FileAccept(id: id, offset: offset, digest: digest, credit: credit, fields: fields.list),
            isLegal: offset + credit < 1 << 62 && fields.areLegal)
    }

    static func done(_ choices: inout Choices) throws {
        let (id, fields) = (Values.varint(&choices), Values.fields(&choices))
        try WrittenFrame.check(FileDone(id: id, fields: fields.list), isLegal: fields.areLegal)
    }

    static func end(_ choices: inout Choices) throws {
        let (id, digest) = (Values.varint(&choices), Values.around(32, &choices))
        let fields = Values.fields(&choices)
        try WrittenFrame.check(
            FileEnd(id: id, digest: digest, fields: fields.list), isLegal: digest.count == 32 && fields.areLegal)
    }

    static func cancel(_ choices: inout Choices) throws {
        let (id, fields) = (Values.varint(&choices), Values.fields(&choices))
        let reason = choices.pick(FileCancel.Reason.allCases)
        try WrittenFrame.check(FileCancel(id: id, reason: reason, fields: fields.list), isLegal: fields.areLegal)
    }
}
