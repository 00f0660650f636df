/// A `LinkScript` whose protected records are open, so that they can be changed and sealed again.
struct ScriptModel: Equatable {
    var params: JSONValue
    var pieces: [ScriptPiece]
}

/// A part of a script.
struct ScriptPiece: Equatable {
    enum Content: Equatable {
        /// Bytes of the peer that are sent as they are: magic and hello, or what did not open.
        case bytes([UInt8])
        /// A record of the peer, sealed when the script is played.
        case record(kind: UInt8, frames: [UInt8])
        /// The end of the stream, a step of the clock or of the app.
        case step(JSONValue)
    }

    /// How the peer's bytes arrive.
    enum Delivery: Equatable {
        /// All at once, after what waits for it.
        case whole
        /// Together with the next bytes.
        case withNext
        /// In two pieces, the first with this many bytes.
        case cut(Int)
    }

    var content: Content
    var delivery = Delivery.whole

    var isRecord: Bool { if case .record = content { true } else { false } }
}

extension ScriptModel {
    /// The steps as Vectors/README.md has them.
    func steps(crypto: SwiftCrypto) -> [JSONValue] {
        var sealer: RecordStreamSealer?
        if let key = params["receiveKey"], let suite = suite {
            sealer = RecordStreamSealer(crypto: crypto, suite: suite, key: key.decodedBytes)
        }
        var steps: [JSONValue] = []
        var waiting: [UInt8] = []
        for piece in pieces {
            switch piece.content {
            case .step(let step):
                Self.deliver(&waiting, .whole, to: &steps)
                steps.append(step)
                continue
            case .bytes(let bytes): waiting += bytes
            case .record(let kind, let frames):
                for part in ScriptFrame.parts(of: frames) {
                    waiting += sealer?.seal(kind, frames: part) ?? []
                    if ScriptFrame.holdRekey(part) { sealer?.rekey() }
                    if ScriptFrame.endsInCode(part) { Self.deliver(&waiting, .whole, to: &steps) }
                }
            }
            Self.deliver(&waiting, piece.delivery, to: &steps)
        }
        Self.deliver(&waiting, .whole, to: &steps)
        return steps
    }

    private static func deliver(_ waiting: inout [UInt8], _ delivery: ScriptPiece.Delivery, to steps: inout [JSONValue])
    {
        if delivery == .withNext { return }
        var parts = [waiting]
        if case .cut(let count) = delivery, count < waiting.count {
            parts = [Array(waiting[..<count]), Array(waiting[count...])]
        }
        for part in parts where !part.isEmpty { steps.append(["actor": "peer", "bytes": .hex(part)]) }
        waiting = []
    }
}
