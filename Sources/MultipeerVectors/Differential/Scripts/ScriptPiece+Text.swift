internal import MultipeerCrypto

extension ScriptPiece {
    /// What a record holds, for people; nil for anything else.
    var records: String? {
        guard case .record(let kind, let bytes) = content else { return nil }
        let name =
            switch kind {
            case 0x10: "ENCRYPTED"
            case 0x11: "AUTHENTICATED"
            default: "kind \(kind)"
            }
        guard let (frames, rest) = ScriptFrame.frames(in: bytes) else { return name + " ?" + Hexadecimal.encode(bytes) }
        let shown = frames.map { "\(FrameNames.name(of: $0.type)) \(Hexadecimal.encode($0.payload))" }
        return ([name] + shown + (rest.isEmpty ? [] : ["?" + Hexadecimal.encode(rest)])).joined(separator: ", ")
    }
}
