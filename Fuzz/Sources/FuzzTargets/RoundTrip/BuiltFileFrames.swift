import FuzzSupport
import MultipeerWire

/// The control frames of files (SPEC §15.3, §15.4).
enum BuiltFileFrames {
    static func offer(_ choices: inout Choices) throws {
        let (id, size) = (Values.varint(&choices), Values.varint(&choices))
        let (name, fields) = (Values.text(&choices, limit: 255), Values.fields(&choices))
        try WrittenFrame.check(
            FileOffer(id: id, size: size, name: name, fields: fields.list),
            isLegal: size <= 9_007_199_254_740_991 && (1...255).contains(name.count) && Values.isText(name)
                && fields.areLegal)
    }

    static func accept(_ choices: inout Choices) throws {
        try WrittenFrame.check(FileAccept(id: Values.varint(&choices)), isLegal: true)
    }

    static func done(_ choices: inout Choices) throws {
        try WrittenFrame.check(FileDone(id: Values.varint(&choices)), isLegal: true)
    }

    static func end(_ choices: inout Choices) throws {
        let (id, digest) = (Values.varint(&choices), Values.around(32, &choices))
        try WrittenFrame.check(FileEnd(id: id, digest: digest), isLegal: digest.count == 32)
    }

    static func cancel(_ choices: inout Choices) throws {
        let (id, isOwn) = (Values.varint(&choices), choices.bool())
        let reason = choices.pick(FileCancel.Reason.allCases)
        try WrittenFrame.check(FileCancel(id: id, isSendersFile: isOwn, reason: reason), isLegal: true)
    }
}
