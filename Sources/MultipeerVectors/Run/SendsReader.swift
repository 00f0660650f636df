@_spi(Observation) internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// Reads what an implementation sent: clear records, then protected ones, which it opens with the vector's key.
struct SendsReader {
    private let crypto: SwiftCrypto
    private let suite: Suite
    /// nil where no keys come to be.
    var key: [UInt8]?
    private var buffer: [UInt8] = []
    private var hasMagic = false
    private var hasOpening = false
    private var counter: UInt64 = 0
    /// Whether READY was sent. Until then the link is not open, so that records are padded (R6.5-1).
    private var hasSentReady = false

    init(crypto: SwiftCrypto, suite: Suite, key: [UInt8]?) {
        self.crypto = crypto
        self.suite = suite
        self.key = key
    }

    /// One frame that was sent.
    struct Sent: Equatable {
        var name: String
        var payload: [UInt8]
        var isReadable: Bool
    }

    /// The `sends` of a step: all records of `bytes`, which must end with one.
    mutating func read(_ bytes: [UInt8]) throws(SubjectFault) -> [JSONValue] {
        buffer += bytes
        var clear: [JSONValue] = []
        var frames: [Sent] = []
        if !hasMagic, !buffer.isEmpty {
            guard buffer.starts(with: Magic.bytes) else { throw .inconsistent("does not begin with the magic") }
            buffer.removeFirst(Magic.bytes.count)
            hasMagic = true
        }
        while !buffer.isEmpty {
            let record = try nextRecord()
            if record[0] < RecordKind.encrypted.rawValue {
                clear.append(try opening(record))
            } else {
                frames += try open(record)
            }
        }
        return clear + Self.joined(frames).map(Self.shown)
    }

    private mutating func nextRecord() throws(SubjectFault) -> [UInt8] {
        guard buffer.count >= 3 else { throw .inconsistent("sends half a record") }
        let length = 3 + Int(buffer[1]) << 8 + Int(buffer[2])
        guard buffer.count >= length else { throw .inconsistent("sends half a record") }
        defer { buffer.removeFirst(length) }
        return Array(buffer.prefix(length))
    }

    private mutating func opening(_ record: [UInt8]) throws(SubjectFault) -> JSONValue {
        guard !hasOpening, let kind = RecordKind(rawValue: record[0]) else {
            throw .inconsistent("sends a clear record where none may be")
        }
        hasOpening = true
        return ["clear": kind == .hello ? "HELLO" : "REFUSAL", "body": .hex(Array(record.dropFirst(3)))]
    }

    private mutating func open(_ record: [UInt8]) throws(SubjectFault) -> [Sent] {
        guard let key, let kind = RecordKind(rawValue: record[0]), hasOpening else {
            throw .inconsistent("sends a protected record where none may be")
        }
        var cipher: RecordCipher
        let plaintext: [UInt8]
        do throws(CryptoFailure) {
            cipher = try RecordCipher(suite: suite, key: key, counter: counter, crypto: crypto.provider)
            plaintext = try cipher.open(record)
        } catch {
            throw .inconsistent("record \(counter) does not open with the vector's key")
        }
        let frames = try Self.frames(plaintext, isReadable: kind == .authenticated)
        // What follows is under the next key (SPEC §12.6).
        if frames.contains(where: { $0.name == "REKEY" }) { try? cipher.rekey() }
        self.key = cipher.key
        try checkPadding(record.count, Set(frames.map(\.name)))
        counter += 1
        return frames
    }

    /// R6.5-1
    private mutating func checkPadding(_ length: Int, _ names: Set<String>) throws(SubjectFault) {
        let unit = names.contains("CERTIFICATES") ? Padding.certificatesUnit : Padding.unit
        guard hasSentReady || names == ["CLOSE"] || length % unit == 0 else {
            throw .inconsistent("record \(counter) has \(length) bytes, which are no multiple of \(unit)")
        }
        if names.contains("READY") { hasSentReady = true }
    }

    private static func frames(_ plaintext: [UInt8], isReadable: Bool) throws(SubjectFault) -> [Sent] {
        var sent: [Sent] = []
        do throws(WireError) {
            var cursor = FrameCursor(plaintext.span)
            while let frame = try cursor.next() {
                guard !frame.isIgnorable else { continue }
                sent.append(
                    Sent(
                        name: FrameNames.name(of: frame.rawType), payload: [UInt8](copying: frame.payload),
                        isReadable: isReadable))
            }
        } catch { throw .inconsistent("sends frames that do not decode") }
        return sent
    }

    /// Messages and file data, whose cutting is the sender's affair, in one piece.
    static func joined(_ frames: [Sent]) -> [Sent] {
        var joined: [Sent] = []
        for frame in frames {
            if frame.name == "MESSAGE_PART", let last = joined.lastIndex(where: { $0.name == "MESSAGE" }) {
                joined[last].payload += frame.payload
            } else if frame.name == "FILE_DATA", joined.last?.name == "FILE_DATA",
                let data = try? FileDataFrame(payload: frame.payload.span)
            {
                joined[joined.count - 1].payload += [UInt8](copying: data.data)
            } else {
                joined.append(frame)
            }
        }
        return joined
    }

    private static func shown(_ sent: Sent) -> JSONValue {
        [
            "frame": .string(sent.name), "payload": .hex(sent.payload),
            "protection": sent.isReadable ? "readable" : "encrypted",
        ]
    }
}

/// The names of SPEC §6.3.
enum FrameNames {
    private static let names: [UInt64: String] = Dictionary(
        uniqueKeysWithValues: (FrameGroups.controlNames.map { ($1.rawValue, $0) })
            + FrameGroups.payloadNames.map { ($1.rawValue, $0) })

    /// The name, or the number of a type that has none.
    static func name(of type: UInt64) -> String { names[type] ?? String(type) }
}
