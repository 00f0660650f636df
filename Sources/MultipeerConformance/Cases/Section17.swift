import MultipeerScriptedPeer
import MultipeerWire

/// The state machine: frames that a state does not allow.
enum Section17 {
    private static func frames(_ topic: String, _ words: String, _ stage: Play.Stage, _ list: [(String, [UInt8])])
        -> [ConformanceCase]
    {
        list.map { name, frame in
            .poke(
                "17-\(topic)-\(name)", "\(name.uppercased().replacing("-", with: "_")) \(words)",
                "R8.6-2 R10.5-4 R10.5-3", at: stage, .unexpectedFrame, forbidding: stage < .certified ? [.ready] : [],
                frame)
        }
    }

    static let cases: [ConformanceCase] =
        frames(
            "proved", "before PEER_INFO", .proved,
            [
                ("certificates", WireBytes.certificates()), ("ready", WireBytes.ready),
                ("message", WireBytes.message([1])),
                ("file-offer", WireBytes.fileOffer(0, size: 1)), ("cancel", WireBytes.cancel()),
                ("rekey", WireBytes.rekey),
            ])
        + frames(
            "identified", "before INVITE and ACCEPT", .identified,
            [
                ("certificates", WireBytes.certificates()), ("ready", WireBytes.ready),
                ("message", WireBytes.message([1])),
                ("message-part", WireBytes.part([1])), ("file-offer", WireBytes.fileOffer(0, size: 1)),
                ("file-cancel", WireBytes.fileCancel(0)), ("peer-info", WireBytes.peerInfo()),
                ("stream-open", WireBytes.streamOpen(0)), ("ping", WireBytes.ping()), ("admit", WireBytes.admit([])),
            ])
        + frames(
            "agreed", "before CERTIFICATES", .agreed,
            [
                ("decline", WireBytes.decline(1)), ("peer-info", WireBytes.peerInfo()),
                ("file-offer", WireBytes.fileOffer(0, size: 1)),
            ])
        + frames(
            "certified", "after CERTIFICATES", .certified,
            [
                ("invite", WireBytes.invite()), ("accept", WireBytes.accept()), ("decline", WireBytes.decline(1)),
                ("file-data", WireBytes.fileData(0, offset: 0, [1])), ("rekey", WireBytes.rekey),
                ("ping", WireBytes.ping()), ("pong", WireBytes.pong()),
                ("credit", WireBytes.credit(.messages, limit: 1 << 20)), ("ack", WireBytes.ack(1)),
                ("admit", WireBytes.admit([])), ("roster", WireBytes.roster([[0]])),
                ("digest", WireBytes.digest([UInt8](repeating: 0, count: 32))), ("summary", WireBytes.summary()),
                ("want", WireBytes.want([[UInt8](repeating: 0, count: 32)])), ("stream-open", WireBytes.streamOpen(0)),
                ("stream-data", WireBytes.streamData(0, [1])), ("stream-end", WireBytes.streamEnd(0, size: 0)),
                ("stream-reset", WireBytes.streamReset(0)), ("stream-stop", WireBytes.streamStop(0)),
            ])
        + frames(
            "open", "on an open link", .open,
            [
                ("accept", WireBytes.accept()), ("decline", WireBytes.decline(1)),
                ("certificates", WireBytes.certificates()),
            ])
}
