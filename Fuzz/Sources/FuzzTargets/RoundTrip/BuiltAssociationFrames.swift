import FuzzSupport
import MultipeerWire

/// The control frames of associations (SPEC §13, §15.6).
enum BuiltAssociationFrames {
    static func credit(_ choices: inout Choices) throws {
        let kind = choices.pick(CreditKind.allCases)
        let (id, limit) = (choices.bool() ? Values.varint(&choices) : 0, Values.varint(&choices))
        try WrittenFrame.check(
            Credit(kind: kind, id: id, limit: limit), isLegal: id == 0 || kind == .stream || kind == .file)
    }

    static func pingOrAck(_ choices: inout Choices) throws {
        let data = Values.around(8, &choices)
        try WrittenFrame.check(Ping(data: data), isLegal: data.count == 8)
        try WrittenFrame.check(Pong(data: data), isLegal: data.count == 8)
        try WrittenFrame.check(Ack(count: Values.varint(&choices)), isLegal: true)
    }

    static func streamOpen(_ choices: inout Choices) throws {
        let (id, credit) = (Values.varint(&choices), Values.varint(&choices))
        let (name, fields) = (Values.text(&choices, limit: 255), Values.fields(&choices))
        try WrittenFrame.check(
            StreamOpen(id: id, credit: credit, name: name, fields: fields.list),
            isLegal: name.count <= 255 && Values.isText(name) && fields.areLegal)
    }

    static func streamEnd(_ choices: inout Choices) throws {
        let (id, size, fields) = (Values.varint(&choices), Values.varint(&choices), Values.fields(&choices))
        try WrittenFrame.check(StreamEnd(id: id, size: size, fields: fields.list), isLegal: fields.areLegal)
    }

    static func resetOrStop(_ choices: inout Choices) throws {
        let (id, code, fields) = (Values.varint(&choices), Values.varint(&choices), Values.fields(&choices))
        try WrittenFrame.check(StreamReset(id: id, code: code, fields: fields.list), isLegal: fields.areLegal)
        try WrittenFrame.check(StreamStop(id: id, code: code, fields: fields.list), isLegal: fields.areLegal)
    }
}
