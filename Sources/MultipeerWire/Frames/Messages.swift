/// MESSAGE (SPEC §15.1), the beginning of a message, as a view of the record's plaintext.
public struct MessageFrame: ~Escapable {
    /// The length of the whole message, in bytes.
    public let total: UInt64
    /// The first bytes of the message.
    public let data: Span<UInt8>

    /// Decodes only the `total` of a payload. A message that is too long is `limit_exceeded` (R15.1-3) whatever its
    /// data is, because fields are checked in their order (R18-1).
    public static func total(payload: Span<UInt8>) throws(WireError) -> UInt64 {
        var reader = Reader(payload)
        return try reader.varint(.messageTotal)
    }

    /// Decodes a payload (R15.1-1).
    @inlinable
    @_lifetime(copy payload)
    public init(payload: Span<UInt8>) throws(WireError) {
        var reader = Reader(payload)
        let total = try reader.varint(.messageTotal)
        let data = reader.rest()
        guard UInt64(data.count) <= total, !data.isEmpty || total == 0 else {
            throw WireError(.lengthOutOfRange, in: .messageData)
        }
        self.total = total
        self.data = data
    }
}

/// FILE_DATA (SPEC §15.3), as a view of the record's plaintext.
public struct FileDataFrame: ~Escapable {
    /// The number of the sender's file.
    public let id: UInt64
    /// The offset of the data in the file.
    public let offset: UInt64
    /// The data, at least one byte.
    public let data: Span<UInt8>

    /// Decodes a payload (R15.3-3).
    @_lifetime(copy payload)
    public init(payload: Span<UInt8>) throws(WireError) {
        var reader = Reader(payload)
        let id = try reader.varint(.fileID)
        let offset = try reader.varint(.fileOffset)
        let data = reader.rest()
        guard !data.isEmpty else { throw WireError(.lengthOutOfRange, in: .fileData) }
        self.id = id
        self.offset = offset
        self.data = data
    }
}

/// A writer of payload frames, straight into a record.
///
/// It first computes how many bytes fit. The frame is then exactly as long as its header says.
public enum PayloadFrame {
    /// Returns the length of what precedes the data of a frame: type, length, and the varints in `prefix`.
    static func overhead(_ type: FrameType, prefix: Int, data: Int) -> Int {
        VarInt.length(of: type.rawValue) + VarInt.length(of: UInt64(prefix + data)) + prefix
    }

    /// No type and length are longer.
    private static let mostOverhead = 8 + 8

    /// Returns how many of `available` bytes of data fit into `room` bytes; 0 if not even one fits.
    static func fittingData(_ type: FrameType, prefix: Int, room: Int, available: Int) -> Int {
        let room = min(room, RecordHeader.maximumPlaintextLength)
        // Where there is plenty of room, nobody needs to know how long the header is.
        if available <= room - mostOverhead - prefix { return available }
        var data = min(available, room - overhead(type, prefix: prefix, data: 0))
        while data > 0, overhead(type, prefix: prefix, data: data) + data > room { data -= 1 }
        return max(data, 0)
    }

    /// Appends MESSAGE with as much of `message` as fits into `room` bytes, and no more than `limit` bytes of it. Returns
    /// how much, or nil if nothing fits.
    @_lifetime(output: copy output)
    public static func appendMessage(
        _ message: Span<UInt8>, limit: Int = .max, room: Int, to output: inout OutputSpan<UInt8>
    ) -> Int? {
        let prefix = VarInt.length(of: UInt64(message.count))
        let data = fittingData(.message, prefix: prefix, room: room, available: min(message.count, limit))
        guard data > 0 || (message.isEmpty && overhead(.message, prefix: prefix, data: 0) <= room) else { return nil }
        appendHeader(.message, length: prefix + data, to: &output)
        output.appendVarint(UInt64(message.count))
        output.append(copying: message.extracting(first: data))
        return data
    }

    /// Appends MESSAGE_PART with as much of `rest` as fits into `room` bytes. Returns how much, or nil if nothing fits.
    @_lifetime(output: copy output)
    public static func appendMessagePart(
        _ rest: Span<UInt8>, room: Int, to output: inout OutputSpan<UInt8>
    ) -> Int? {
        let data = fittingData(.messagePart, prefix: 0, room: room, available: rest.count)
        guard data > 0 else { return nil }
        appendHeader(.messagePart, length: data, to: &output)
        output.append(copying: rest.extracting(first: data))
        return data
    }

    /// Appends FILE_DATA with as much of `chunk` as fits into `room` bytes. Returns how much, or nil if nothing fits.
    @_lifetime(output: copy output)
    public static func appendFileData(
        id: UInt64, offset: UInt64, _ chunk: Span<UInt8>, room: Int, to output: inout OutputSpan<UInt8>
    ) -> Int? {
        let prefix = VarInt.length(of: id) + VarInt.length(of: offset)
        let data = fittingData(.fileData, prefix: prefix, room: room, available: chunk.count)
        guard data > 0 else { return nil }
        appendHeader(.fileData, length: prefix + data, to: &output)
        output.appendVarint(id)
        output.appendVarint(offset)
        output.append(copying: chunk.extracting(first: data))
        return data
    }

    /// Appends STREAM_DATA with as much of `chunk` as fits into `room` bytes. Returns how much, or nil if nothing fits.
    @_lifetime(output: copy output)
    public static func appendStreamData(
        id: UInt64, _ chunk: Span<UInt8>, room: Int, to output: inout OutputSpan<UInt8>
    ) -> Int? {
        let prefix = VarInt.length(of: id)
        let data = fittingData(.streamData, prefix: prefix, room: room, available: chunk.count)
        guard data > 0 else { return nil }
        appendHeader(.streamData, length: prefix + data, to: &output)
        output.appendVarint(id)
        output.append(copying: chunk.extracting(first: data))
        return data
    }

    @_lifetime(output: copy output)
    private static func appendHeader(_ type: FrameType, length: Int, to output: inout OutputSpan<UInt8>) {
        output.appendVarint(type.rawValue)
        output.appendVarint(UInt64(length))
    }
}
