import FuzzSupport
import MultipeerWire

/// Payload written into whatever room there is (SPEC §15.1, §15.3): nothing lost, nothing beyond the room, no empty part.
enum Fragments {
    static func message(_ choices: inout Choices) throws {
        let message = payload(&choices)
        var sent: [UInt8] = []
        var isFirst = true
        while isFirst || sent.count < message.count {
            let room = choices.isEmpty ? 64 : choices.int(below: 300)
            let rest = Array(message[sent.count...])
            let frame = try write(room: room) { output in
                isFirst
                    ? PayloadFrame.appendMessage(rest.span, room: room, to: &output)
                    : PayloadFrame.appendMessagePart(rest.span, room: room, to: &output)
            }
            guard let frame else { continue }
            var cursor = FrameCursor(frame.bytes.span)
            guard let raw = try cursor.next() else { throw OracleFailure("a part was written, and is not there") }
            let data = try data(of: raw, isFirst: isFirst, total: message.count)
            try requireEqual(data, Array(rest.prefix(frame.taken)), "the part")
            try require(!data.isEmpty || message.isEmpty, "a part carries nothing")
            sent += data
            isFirst = false
        }
        try requireEqual(sent, message, "the message, put together")
    }

    static func file(_ choices: inout Choices) throws {
        let (id, start) = (Values.varint(&choices), Values.varint(&choices))
        let chunk = [UInt8(1)] + payload(&choices)
        let room = choices.int(below: 400)
        let frame = try write(room: room) { output in
            PayloadFrame.appendFileData(id: id, offset: start, chunk.span, room: room, to: &output)
        }
        guard let frame else { return }
        var cursor = FrameCursor(frame.bytes.span)
        guard let raw = try cursor.next() else { throw OracleFailure("data was written, and is not there") }
        let data = try FileDataFrame(payload: raw.payload)
        try requireEqual(data.id, id, "file")
        try requireEqual(data.offset, start, "offset")
        try requireEqual([UInt8](copying: data.data), Array(chunk.prefix(frame.taken)), "data")
    }

    static func stream(_ choices: inout Choices) throws {
        let id = Values.varint(&choices)
        let chunk = [UInt8(1)] + payload(&choices)
        let room = choices.int(below: 400)
        let frame = try write(room: room) { output in
            PayloadFrame.appendStreamData(id: id, chunk.span, room: room, to: &output)
        }
        guard let frame else { return }
        var cursor = FrameCursor(frame.bytes.span)
        guard let raw = try cursor.next() else { throw OracleFailure("data was written, and is not there") }
        let data = try StreamDataFrame(payload: raw.payload)
        try requireEqual(data.id, id, "stream")
        try requireEqual([UInt8](copying: data.data), Array(chunk.prefix(frame.taken)), "data")
    }

    private static func payload(_ choices: inout Choices) -> [UInt8] {
        let bytes = choices.bytes(upTo: 200)
        return choices.int(below: 8) == 7 ? bytes + [UInt8](repeating: 3, count: 1_000) : bytes
    }

    private static func data(of frame: borrowing RawFrame, isFirst: Bool, total: Int) throws -> [UInt8] {
        guard isFirst else {
            try requireEqual(frame.type, .messagePart, "type of a later part")
            return [UInt8](copying: frame.payload)
        }
        try requireEqual(frame.type, .message, "type of the first part")
        let message = try MessageFrame(payload: frame.payload)
        try requireEqual(message.total, UInt64(total), "length")
        return [UInt8](copying: message.data)
    }

    /// What a writer wrote, which must fit; nil when it said that nothing does.
    private static func write(
        room: Int, _ append: (inout OutputSpan<UInt8>) -> Int?
    ) throws(OracleFailure) -> (bytes: [UInt8], taken: Int)? {
        var bytes: [UInt8] = []
        var taken: Int?
        bytes.append(addingCapacity: 1_024) { (output: inout OutputSpan<UInt8>) in taken = append(&output) }
        guard let taken else {
            try require(bytes.isEmpty, "nothing fits, and something was written")
            // 22 bytes hold the longest header of any payload frame and a byte.
            try require(room < 22, "a payload frame fits into \(room) bytes")
            return nil
        }
        try require(bytes.count <= room, "\(bytes.count) bytes for a room of \(room)")
        return (bytes, taken)
    }
}
