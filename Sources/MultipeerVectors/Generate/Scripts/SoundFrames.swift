internal import MultipeerScriptedPeer
internal import MultipeerWire

/// Frames of SPEC §§13, 14 and 15.6 that would be good on an open link.
enum SoundFrames {
    static func frame(_ type: FrameType) -> [UInt8] {
        let key = [UInt8](repeating: 1, count: 32)
        let signature = [UInt8](repeating: 2, count: 64)
        return switch type {
        case .ping: Ping(data: [UInt8](repeating: 3, count: 8)).encoded()
        case .pong: Pong(data: [UInt8](repeating: 3, count: 8)).encoded()
        case .credit: Credit(kind: .messages, limit: 524_288).encoded()
        case .ack: Ack(messages: 1).encoded()
        case .admit: Admit(chain: [Admission(admitter: key, signature: signature)]).encoded()
        case .roster:
            RosterFrame(entries: [
                RosterEntry(RosterEntry.Content(member: key, instance: 1, sequence: 0), signature: signature)
            ]).encoded()
        case .digest: DigestFrame(digest: key).encoded()
        case .summary: Summary(items: []).encoded()
        case .want: Want(members: [key]).encoded()
        case .streamOpen: StreamOpen(id: 1, credit: 0, name: Array("s".utf8)).encoded()
        case .streamEnd: StreamEnd(id: 1, size: 0).encoded()
        case .streamReset: StreamReset(id: 1, code: 0).encoded()
        case .streamStop: StreamStop(id: 1, code: 0).encoded()
        default: WireBytes.frame(type, [1, 1])
        }
    }
}
