import MultipeerWire
import Testing

/// A writer of payload frames, as the tests see it: what it appends for a content and a room, and how much it says it took.
struct PayloadWriter: Sendable {
    let name: String
    let type: UInt64
    /// The varints before the data, for a content of a length.
    let prefix: @Sendable (Int) -> [UInt8]
    let append: @Sendable (Span<UInt8>, Int, inout OutputSpan<UInt8>) -> Int?
    /// Whether a frame without data is legal for an empty content.
    let writesEmpty: Bool

    func write(_ content: [UInt8], room: Int) -> (bytes: [UInt8], taken: Int?) {
        var bytes: [UInt8] = []
        var taken: Int?
        bytes.append(addingCapacity: max(room, 0)) { (output: inout OutputSpan<UInt8>) in
            taken = append(content.span, room, &output)
        }
        return (bytes, taken)
    }

    /// The length of a frame with `data` bytes of a content of `count`.
    func length(data: Int, of count: Int) -> Int {
        let payload = prefix(count).count + data
        return varint(type).count + varint(UInt64(payload)).count + payload
    }

    static let all: [PayloadWriter] = [
        PayloadWriter(
            name: "MESSAGE", type: 0x40, prefix: { varint(UInt64($0)) },
            append: { PayloadFrame.appendMessage($0, room: $1, to: &$2) }, writesEmpty: true),
        PayloadWriter(
            name: "MESSAGE_PART", type: 0x42, prefix: { _ in [] },
            append: { PayloadFrame.appendMessagePart($0, room: $1, to: &$2) }, writesEmpty: false),
        PayloadWriter(
            name: "FILE_DATA", type: 0x56, prefix: { _ in varint(64) + varint(63) },
            append: { PayloadFrame.appendFileData(id: 64, offset: 63, $0, room: $1, to: &$2) }, writesEmpty: false),
        PayloadWriter(
            name: "FILE_DATA far out", type: 0x56, prefix: { _ in varint(1 << 61) + varint(1 << 52) },
            append: { PayloadFrame.appendFileData(id: 1 << 61, offset: 1 << 52, $0, room: $1, to: &$2) },
            writesEmpty: false),
        PayloadWriter(
            name: "STREAM_DATA", type: 0x62, prefix: { _ in varint(70) },
            append: { PayloadFrame.appendStreamData(id: 70, $0, room: $1, to: &$2) }, writesEmpty: false),
    ]
}

@Suite("Writing payload frames, SPEC §15")
struct PayloadFrameTests {
    static let rooms =
        Array(-3...600) + Array(16_370...16_410) + Array(65_480...65_516)

    /// What is wrong with the frame for `content` and `room`; nil if nothing.
    static func mistake(_ writer: PayloadWriter, _ content: [UInt8], room: Int) -> String? {
        let (bytes, taken) = writer.write(content, room: room)
        let fits = { (data: Int) in writer.length(data: data, of: content.count) <= room }
        guard let taken else {
            if !bytes.isEmpty { return "nothing taken, but bytes written" }
            if !content.isEmpty && fits(1) { return "one byte would fit" }
            return content.isEmpty && writer.writesEmpty && fits(0) ? "the empty frame would fit" : nil
        }
        let payload = writer.prefix(content.count) + [UInt8](content[..<taken])
        if bytes != frame(writer.type, payload) { return "other bytes" }
        if bytes.count > room { return "longer than the room" }
        if taken < content.count && fits(taken + 1) { return "one more byte would fit" }
        return taken == 0 && !writer.writesEmpty ? "an empty frame" : nil
    }

    @Test("A frame fills every room exactly", arguments: PayloadWriter.all)
    func everyRoom(writer: PayloadWriter) {
        var mistakes: [String] = []
        for count in [0, 1, 2, 60, 64, 100, 599, 16_383, 16_384, 65_500, 70_000] {
            let content = counting(count)
            for room in Self.rooms where room <= 600 || count > 16_000 {
                if let mistake = Self.mistake(writer, content, room: room) {
                    mistakes.append("\(count) bytes, room \(room): \(mistake)")
                }
            }
        }
        #expect(mistakes.isEmpty, "\(writer.name)")
    }

    @Test("Every length of content around the room's limits", arguments: PayloadWriter.all)
    func everyContent(writer: PayloadWriter) {
        var mistakes: [String] = []
        for room in [66, 67, 68, 69, 80, 16_386, 16_388, 16_390, 65_516] {
            for count in max(0, room - 30)...room + 5 {
                if let mistake = Self.mistake(writer, counting(count), room: room) {
                    mistakes.append("\(count) bytes, room \(room): \(mistake)")
                }
            }
        }
        #expect(mistakes.isEmpty, "\(writer.name)")
    }

    @Test("More room than a record has changes nothing", arguments: PayloadWriter.all)
    func moreThanARecord(writer: PayloadWriter) {
        let content = counting(200_000)
        for room in [65_517, 65_600, 150_000, 250_000] {
            let (bytes, taken) = writer.write(content, room: room)
            #expect(taken == writer.write(content, room: 65_516).taken)
            #expect(bytes.count <= 65_516)
            #expect(frames(bytes).fault == nil)
        }
    }

    /// Sends `content` as a sender does: records of `room` bytes, filled with frames.
    static func fragments(_ content: [UInt8], room: Int) -> [[UInt8]]? {
        var records: [[UInt8]] = []
        var sent: Int?
        while sent == nil || sent! < content.count {
            let writer = PayloadWriter.all[sent == nil ? 0 : 1]
            let (bytes, taken) = writer.write([UInt8](content[(sent ?? 0)...]), room: room)
            guard let taken, sent == nil || taken > 0 else { return nil }
            sent = (sent ?? 0) + taken
            records.append(bytes)
        }
        return records
    }

    /// Puts a message together again, as a receiver does.
    static func rejoined(_ records: [[UInt8]]) -> (total: UInt64, bytes: [UInt8])? {
        var total: UInt64?
        var bytes: [UInt8] = []
        for record in records {
            let read = frames(record)
            guard read.fault == nil else { return nil }
            for frame in read.frames {
                switch frame.type {
                case 0x40:
                    guard total == nil, let first = message(frame.payload) else { return nil }
                    total = first.total
                    bytes += first.data
                case 0x42:
                    guard total != nil, !frame.payload.isEmpty else { return nil }
                    bytes += frame.payload
                default: return nil
                }
            }
        }
        return total.map { ($0, bytes) }
    }

    @Test("Fragments join to form the message", arguments: [0, 1, 63, 64, 1_000, 16_383, 16_384, 65_516, 200_000])
    func joining(count: Int) throws {
        let content = counting(count)
        for room in [12, 66, 67, 68, 600, 16_385, 16_387, 16_390, 65_516] where count / room < 3_000 {
            let records = try #require(Self.fragments(content, room: room))
            #expect(records.allSatisfy { $0.count <= room })
            let joined = Self.rejoined(records)
            #expect(joined?.total == UInt64(count))
            #expect(joined?.bytes == content)
        }
    }

    @Test("A frame after others in the same record")
    func behindOthers() {
        let content = counting(500)
        var bytes = frame(0x10, [])
        bytes.append(addingCapacity: 1_000) { (output: inout OutputSpan<UInt8>) in
            _ = PayloadFrame.appendMessage(content.span, room: 200, to: &output)
            _ = PayloadFrame.appendMessagePart(content.span, room: 100, to: &output)
            _ = PayloadFrame.appendFileData(id: 0, offset: 0, content.span, room: 50, to: &output)
        }
        let read = frames(bytes)
        #expect(read.fault == nil)
        #expect(read.frames.map(\.type) == [0x10, 0x40, 0x42, 0x56])
        #expect(read.frames.map(\.encoded.count) == [2, 200, 100, 50])
    }
}
