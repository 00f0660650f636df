import MultipeerScriptedPeer
import MultipeerWire

/// Limits and deadlines.
enum Section19 {
    private static let limits: [ConformanceCase] = [
        .pokeRaw(
            "19-record-before-proof", "The header of a record of 1,025 bytes before PROOF", "R19-2", at: .channel,
            .limitExceeded, WireBytes.header(0x10, 1_022)),
        .pokeRaw(
            "19-long-record-before-proof", "The header of a record of 65,535 bytes before PROOF", "R19-2", at: .channel,
            .limitExceeded, WireBytes.header(0x10, 65_532)),
        .pokeRaw(
            "19-limit-before-protection", "The header of an AUTHENTICATED record of 1,025 bytes before PROOF",
            "R19-2 R18-1", at: .channel, .limitExceeded, WireBytes.header(0x11, 1_022)),
        ConformanceCase(
            "19-record-with-proof", "A record of 1,024 bytes that holds PROOF", "R19-2",
            expects: "it is taken: the link continues"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.channel)
            // An initiator signs its peer's key, which may come after the hello, in bytes of its own.
            if play.role == .initiator { _ = try play.take(.proof) }
            play.peer.behavior.sentProof = true
            let proof = try play.peer.proof()
            let frame = proof.encoded()
            // Header, tag, and PADDING's type and length of two bytes take 22.
            try play.peer.send(frame + WireBytes.padding(1_024 - 22 - frame.count))
            if play.role == .responder { _ = try play.take(.proof) }
            _ = try play.take(.peerInfo)
            play.stage = .proved
            return try play.mustReach(.open).and(try play.expectAlive())
        },
        ConformanceCase(
            "19-before-open", "131,073 bytes of records before the link is open", "R19-1",
            expects: "CLOSE limit_exceeded once the header is there that exceeds"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.agreed)
            try play.fill(upTo: 131_072 - 1_000)
            try play.peer.sendRaw(
                WireBytes.header(0x10, 1_001 - 3), note: "the header of a record that exceeds by one byte")
            return try play.expectClose(.limitExceeded, probing: false)
        },
        ConformanceCase(
            "19-before-open-exactly", "131,072 bytes of records before the link is open", "R19-1",
            expects: "they are taken: the tester's CLOSE, which fills the limit, is answered by CLOSE no_error"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.agreed)
            try play.fill(upTo: 131_072 - (WireBytes.close().count + 19))
            return try play.expectAlive()
        },
        ConformanceCase(
            "19-after-open", "More than 131,072 bytes on an open link", "R19-1",
            expects: "they are taken: the link continues"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            for _ in 0..<4 { try play.peer.send(WireBytes.padding(60_000)) }
            return try play.expectAlive()
        },
    ]

    // MARK: Deadlines

    private static func handshake(
        _ topic: String, _ title: String, _ code: CloseCode?, _ stage: Play.Stage
    ) -> ConformanceCase {
        ConformanceCase(
            "19-deadline-\(topic)", title, "R19-3",
            expects: code.map { "CLOSE \(FrameText.name($0)) at the handshake deadline, then the end of the stream" }
                ?? "the end of the stream at the handshake deadline",
            waits: .handshake
        ) { (play: Play) throws(Interruption) -> Evidence in
            if play.role == .responder, stage == .connected { _ = try play.awaitHello() }
            try play.reach(stage)
            if stage == .channel, play.role == .initiator { _ = try play.take(.proof) }
            guard let code else { return try play.expectSilentEnd() }
            return try play.expectClose(code, probing: false)
        }
    }

    private static let deadlines: [ConformanceCase] = [
        handshake("hello", "Nothing comes but a connection", nil, .connected),
        handshake("proof", "PROOF does not come", .handshakeTimeout, .channel),
        handshake("peer-info", "PEER_INFO does not come", .handshakeTimeout, .proved),
        ConformanceCase(
            "19-deadline-invitation", "Nobody invites", "R19-3",
            expects: "CLOSE invitation_timeout at its deadline, then the end of the stream", peer: .accepts,
            waits: .invitation
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.identified)
            return try play.expectClose(.invitationTimeout, probing: false)
        },
        ConformanceCase(
            "19-deadline-certificates", "CERTIFICATES do not come", "R19-3 R10.5-1",
            expects: "CLOSE verdict_timeout at its deadline, no READY, then the end of the stream", waits: .certificates
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.agreed)
            return try play.expectClose(.verdictTimeout, probing: false, forbidding: [.ready])
        },
        ConformanceCase(
            "19-deadline-ready", "READY does not come", "R19-3",
            expects: "CLOSE verdict_timeout at its deadline, then the end of the stream", waits: .certificates
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.certified)
            return try play.expectClose(.verdictTimeout, probing: false)
        },
    ]

    static let cases: [ConformanceCase] = limits + deadlines
}

extension Play {
    /// Sends PADDING until exactly this many bytes of protected records have been sent.
    func fill(upTo total: Int) throws(Interruption) {
        while peer.protectedBytesSent < total {
            let left = total - peer.protectedBytesSent
            // A record has 19 bytes beside its frames, and PADDING of this length five of type and length.
            var payload = min(left, 16_500) - 24
            if left > 16_500, left - 16_500 < 200 { payload -= 200 }
            guard payload >= 0 else { throw .inconclusive("the limit cannot be met") }
            try peer.send(exactly(payload + 5))
        }
    }

    /// Returns PADDING of exactly this many bytes, including type and length. The form of the length depends on its
    /// value.
    private func exactly(_ count: Int) -> [UInt8] {
        for payload in stride(from: count - 2, through: count - 5, by: -1) {
            let frame = WireBytes.padding(max(payload, 0))
            if frame.count == count { return frame }
        }
        return WireBytes.padding(max(count - 5, 0)) + WireBytes.padding(0)
    }
}
