internal import MultipeerScriptedPeer
internal import MultipeerWire

/// A frame while a script is changed.
struct ScriptFrame: Equatable {
    var type: UInt64
    var payload: [UInt8]

    /// Type, length and payload.
    var encoded: [UInt8] { WireBytes.frame(type, payload) }

    /// Whether the sender's key is replaced after a record with these frames.
    static func holdRekey(_ plaintext: [UInt8]) -> Bool {
        frames(in: plaintext)?.frames.contains { $0.type == FrameType.rekey.rawValue } ?? false
    }

    /// The frames of a record, and what follows them and is none; nil where not even one can be read.
    static func frames(in plaintext: [UInt8]) -> (frames: [ScriptFrame], rest: [UInt8])? {
        var frames: [ScriptFrame] = []
        var read = 0
        do throws(WireError) {
            var cursor = FrameCursor(plaintext.span)
            while let frame = try cursor.next() {
                frames.append(ScriptFrame(type: frame.rawType, payload: [UInt8](copying: frame.payload)))
                read += frame.encoded.count
            }
        } catch {
            if frames.isEmpty { return nil }
        }
        return (frames, Array(plaintext[read...]))
    }

    /// A record in parts, each of which CODE_BEGIN ends: after it an implementation may ask the one that shows the code
    /// before it continues (Vectors/README.md).
    static func parts(of plaintext: [UInt8]) -> [[UInt8]] {
        guard let (frames, rest) = frames(in: plaintext) else { return [plaintext] }
        var parts: [[UInt8]] = [[]]
        for (index, frame) in frames.enumerated() {
            parts[parts.count - 1] += frame.encoded
            let isLast = index + 1 == frames.count && rest.isEmpty
            if frame.type == FrameType.codeBegin.rawValue, !isLast { parts.append([]) }
        }
        // What was not in the shortest form stays as it was.
        guard parts.count > 1 else { return [plaintext] }
        parts[parts.count - 1] += rest
        return parts
    }

    /// Whether a record ends in CODE_BEGIN.
    static func endsInCode(_ plaintext: [UInt8]) -> Bool {
        guard let (frames, rest) = frames(in: plaintext) else { return false }
        return rest.isEmpty && frames.last?.type == FrameType.codeBegin.rawValue
    }
}
