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
        return clear + Self.joined(frames).map(shown)
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

    /// R6.5-1, and R19-2 for the record with PROOF.
    private mutating func checkPadding(_ length: Int, _ names: Set<String>) throws(SubjectFault) {
        let unit = names.contains("CERTIFICATES") ? Padding.certificatesUnit : Padding.unit
        guard hasSentReady || names == ["CLOSE"] || length % unit == 0 else {
            throw .inconsistent("record \(counter) has \(length) bytes, which are no multiple of \(unit)")
        }
        guard !names.contains("PROOF") || length <= 1_024 else {
            throw .inconsistent("record \(counter), which holds PROOF, has \(length) bytes")
        }
        if names.contains("READY") { hasSentReady = true }
    }

    /// The frames of a plaintext, without ignorable ones.
    static func frames(_ plaintext: [UInt8], isReadable: Bool = false) throws(SubjectFault) -> [Sent] {
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
        guard !sent.dropLast().contains(where: { $0.name == "CLOSE" }) else {
            throw .inconsistent("sends a frame after CLOSE")
        }
        return sent
    }

    /// Frames as scripts compare them. The data of one message, stream or file that come together are one piece,
    /// because their cutting is the sender's affair. CREDIT, ACK and PONG are states: the newest of each counts,
    /// wherever it is.
    static func joined(_ frames: [Sent]) -> [Sent] {
        var joined: [Sent] = []
        var states: [String: Sent] = [:]
        for frame in frames {
            if let state = frame.state {
                states[state] = frame
            } else if let last = joined.last, let data = frame.continuation(of: last) {
                joined[joined.count - 1].payload += data
            } else {
                joined.append(frame)
            }
        }
        return inOrder(joined) + states.sorted { $0.key < $1.key }.map(\.value)
    }

    /// What gives streams and files up has no order among itself.
    private static func inOrder(_ frames: [Sent]) -> [Sent] {
        let names: Set = ["STREAM_STOP", "STREAM_RESET", "FILE_CANCEL"]
        var (ordered, run): ([Sent], [Sent]) = ([], [])
        func sorted() -> [Sent] {
            run.sorted { ($0.name, Hexadecimal.encode($0.payload)) < ($1.name, Hexadecimal.encode($1.payload)) }
        }
        for frame in frames {
            if names.contains(frame.name) {
                run.append(frame)
            } else {
                ordered += sorted() + [frame]
                run = []
            }
        }
        return ordered + sorted()
    }

    /// More bytes than this are shown by their length and hash.
    private static let longest = 65_536

    private func shown(_ sent: Sent) -> JSONValue {
        let payload: JSONValue =
            sent.payload.count > Self.longest
            ? .string("#\(sent.payload.count):" + Hexadecimal.encode(crypto.sha256(sent.payload))) : .hex(sent.payload)
        return [
            "frame": .string(sent.name), "payload": payload,
            "protection": sent.isReadable ? "readable" : "encrypted",
        ]
    }
}

extension SendsReader.Sent {
    /// What the frame is the newest value of, if it is a state and not an event.
    fileprivate var state: String? {
        switch name {
        case "ACK", "PONG": name
        case "CREDIT":
            (try? Credit(payload: payload.span)).map { name + " \($0.kind.rawValue) \(1_000_000_000 + $0.id)" }
        default: nil
        }
    }

    /// The data by which this frame continues another one.
    fileprivate func continuation(of last: Self) -> [UInt8]? {
        guard last.isReadable == isReadable else { return nil }
        switch (last.name, name) {
        case ("MESSAGE", "MESSAGE_PART"), ("MESSAGE_PART", "MESSAGE_PART"): return payload
        case ("FILE_DATA", "FILE_DATA"):
            guard let one = try? FileDataFrame(payload: last.payload.span),
                let other = try? FileDataFrame(payload: payload.span), one.id == other.id
            else { return nil }
            return [UInt8](copying: other.data)
        case ("STREAM_DATA", "STREAM_DATA"):
            guard let one = try? StreamDataFrame(payload: last.payload.span),
                let other = try? StreamDataFrame(payload: payload.span), one.id == other.id
            else { return nil }
            return [UInt8](copying: other.data)
        default: return nil
        }
    }
}

/// The names of SPEC §6.3.
enum FrameNames {
    private static let names: [UInt64: String] = Dictionary(
        uniqueKeysWithValues: (FrameGroups.controlNames.map { ($1.rawValue, $0) })
            + FrameGroups.payloadNames.map { ($1.rawValue, $0) })

    /// The type with this name.
    static func type(of name: String) -> UInt64? { names.first { $0.value == name }?.key ?? UInt64(name) }

    /// A whole frame.
    static func frame(_ type: UInt64, _ payload: [UInt8]) -> [UInt8] { WireBytes.frame(type, payload) }

    /// The name, or the number of a type that has none.
    static func name(of type: UInt64) -> String { names[type] ?? String(type) }
}
