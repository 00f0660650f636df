internal import MultipeerScriptedPeer
internal import MultipeerWire

/// A frame while a script is changed.
struct ScriptFrame: Equatable {
    var type: UInt64
    var payload: [UInt8]

    /// Type, length and payload.
    var encoded: [UInt8] { WireBytes.frame(type, payload) }

    /// Whether the sender's key is replaced behind a record with these frames.
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
}
