@_spi(Observation) internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerWire

extension ScriptModel {
    /// The suite of a script, if it exists here.
    var suite: Suite? { params["suite"]?.number.flatMap { UInt16(exactly: $0) }.flatMap(Suite.init(rawValue:)) }

    /// Opens the peer's records of a vector.
    init(params: JSONValue, steps: [JSONValue], crypto: SwiftCrypto) {
        self.init(params: params, pieces: [])
        var parser = ScriptParser(params: params, suite: suite, crypto: crypto)
        for step in steps where step["actor"] != "self" {
            if let bytes = step["bytes"], step["actor"] == "peer" {
                pieces += parser.pieces(of: bytes.decodedBytes)
            } else {
                pieces.append(ScriptPiece(content: .step(step)))
            }
        }
    }
}

/// Takes a peer's bytes apart. From the first that is no whole record, or does not open, all is left as it is.
private struct ScriptParser {
    private let crypto: SwiftCrypto
    private let suite: Suite?
    private var key: [UInt8]?
    private var counter: UInt64 = 0
    private var hasOpening = false
    private var isRaw = false

    init(params: JSONValue, suite: Suite?, crypto: SwiftCrypto) {
        self.crypto = crypto
        self.suite = suite
        key = params["receiveKey"]?.decodedBytes
    }

    /// The pieces that arrive in one step.
    mutating func pieces(of bytes: [UInt8]) -> [ScriptPiece] {
        var rest = bytes[...]
        var pieces: [ScriptPiece] = []
        while !rest.isEmpty, !isRaw {
            let start = hasOpening ? 0 : Magic.bytes.count
            guard let length = recordLength(rest.dropFirst(start)), start + length <= rest.count else {
                isRaw = true
                break
            }
            let part = Array(rest.prefix(start + length))
            if !hasOpening {
                pieces.append(ScriptPiece(content: .bytes(part), delivery: .withNext))
                hasOpening = true
            } else if let content = open(part) {
                pieces.append(ScriptPiece(content: content, delivery: .withNext))
            } else {
                isRaw = true
                break
            }
            rest = rest.dropFirst(part.count)
        }
        if !rest.isEmpty { pieces.append(ScriptPiece(content: .bytes(Array(rest)))) }
        if !pieces.isEmpty { pieces[pieces.count - 1].delivery = .whole }
        return pieces
    }

    private func recordLength(_ bytes: ArraySlice<UInt8>) -> Int? {
        let header = Array(bytes.prefix(RecordHeader.length))
        guard header.count == RecordHeader.length else { return nil }
        return RecordHeader.length + Int(header[1]) << 8 + Int(header[2])
    }

    private mutating func open(_ record: [UInt8]) -> ScriptPiece.Content? {
        guard let key, let suite, let kind = RecordKind(rawValue: record[0]), kind.rawValue >= 0x10,
            record.count >= RecordHeader.length + aeadTagLength
        else { return nil }
        do throws(CryptoFailure) {
            let receiving = try crypto.cipher(suite, key: key, counter: counter)
            var access = RecordAccess(sending: try crypto.cipher(suite, key: key, counter: 0), receiving: receiving)
            let header = RecordHeader(kind: kind, bodyLength: record.count - RecordHeader.length)
            let frames = try access.open(header, record: record)
            counter += 1
            if ScriptFrame.holdRekey(frames) { self.key = try crypto.rekeyed(suite, key: key) }
            return .record(kind: kind.rawValue, frames: frames)
        } catch { return nil }
    }
}
