import MultipeerScriptedPeer
import MultipeerWire

/// Encryption policy.
enum Section11 {
    private static func row(_ preference: EncryptionPreference) -> ConformanceCase {
        ConformanceCase(
            "11-with-\(preference)", "The tester's preference is *\(preference)*", "R8.3-1 R8.4-2 R11-1 R11-2",
            expects: "a session whose payload travels as the table says, or a refusal where it says so"
        ) { (play: Play) throws(Interruption) -> Evidence in
            play.terms.preference = preference
            try play.reach(.identified)
            return play.profile.invitations == .accepts
                ? try inviting(play, preference) : try accepting(play, preference)
        }
    }

    private static func inviting(_ play: Play, _ preference: EncryptionPreference) throws(Interruption) -> Evidence {
        try play.sendInvite()
        let frame = try play.nextFrame(awaiting: "ACCEPT or DECLINE")
        if frame.known == .decline {
            guard let decline = try? Decline(payload: frame.payload.span),
                case .encryptionPolicy(let own) = decline.reason
            else {
                throw .unexpected("\(frame.text) came")
            }
            guard Policy.outcome(preference, own) == nil else {
                throw .failed("the peer declined with its preference \(own), which goes with \(preference)")
            }
            return Evidence("DECLINE encryption_policy").and(try play.expectClose(.noError, probing: false))
        }
        guard frame.known == .accept, let accept = try? Accept(payload: frame.payload.span) else {
            throw .unexpected("\(frame.text) came in place of ACCEPT or DECLINE")
        }
        guard Policy.outcome(preference, accept.preference) == accept.outcome else {
            throw .failed("\(frame.text) is not what the table gives")
        }
        play.peer.behavior.outcome = accept.outcome
        _ = try play.take(.certificates)
        play.stage = .agreed
        return try session(play, accept.outcome)
    }

    private static func accepting(_ play: Play, _ preference: EncryptionPreference) throws(Interruption) -> Evidence {
        let invite = try play.awaitInvite()
        guard let outcome = Policy.outcome(invite.preference, preference) else {
            try play.peer.send(WireBytes.decline(3, detail: [preference.rawValue]))
            return Evidence("the table refuses").and(try play.expectClose(.noError, probing: false))
        }
        try play.sendAccept()
        _ = try play.take(.certificates)
        play.stage = .agreed
        return try session(play, outcome)
    }

    private static func session(_ play: Play, _ outcome: EncryptionOutcome) throws(Interruption) -> Evidence {
        let came = try play.mustReach(.open)
        try play.peer.send(WireBytes.message([1, 2, 3]), as: outcome == .readable ? .authenticated : .encrypted)
        return came.and(try play.expectAlive())
    }

    static let cases: [ConformanceCase] =
        EncryptionPreference.allCases.map(row) + [
            ConformanceCase(
                "11-own-preference", "The peer's preference is the one that it is said to have", "R8.3-1",
                expects: "the preference of --encryption in INVITE, ACCEPT or DECLINE"
            ) { (play: Play) throws(Interruption) -> Evidence in
                guard let told = play.profile.encryption else {
                    throw .skipped("the tester was not told the preference")
                }
                try play.reach(.identified)
                let shown: EncryptionPreference
                if play.profile.invitations == .accepts {
                    try play.sendInvite()
                    shown = try play.awaitAccept().preference
                } else {
                    shown = try play.awaitInvite().preference
                }
                guard shown == told else { throw .failed("the peer's preference is \(shown)") }
                return Evidence("the preference \(shown)")
            },
            .encrypted(
                "11-authenticated-record", "MESSAGE in an AUTHENTICATED record on an encrypted link", "R11-1 R12.4-2"),
            .readable(
                "11-encrypted-payload", "MESSAGE in an ENCRYPTED record on a readable link", "R11-2 R12.4-2",
                WireBytes.message([1, 2, 3]), .encrypted),
            .readable(
                "11-readable-close", "CLOSE in an AUTHENTICATED record on a readable link", "R11-2 R12.4-2",
                WireBytes.close(),
                .authenticated),
            .readable(
                "11-readable-file-offer", "FILE_OFFER in an AUTHENTICATED record on a readable link", "R11-2 R12.4-2",
                WireBytes.fileOffer(0, size: 1), .authenticated),
            .readable(
                "11-readable-credit", "CREDIT in an AUTHENTICATED record on a readable link", "R11-2 R12.4-2",
                WireBytes.credit(.messages, limit: 1 << 20), .authenticated),
            .readable(
                "11-readable-stream-open", "STREAM_OPEN in an AUTHENTICATED record on a readable link",
                "R11-2 R12.4-2", WireBytes.streamOpen(0), .authenticated),
            .readable(
                "11-encrypted-stream-data", "STREAM_DATA in an ENCRYPTED record on a readable link", "R11-2 R12.4-2",
                WireBytes.streamData(0, [1]), .encrypted),
            .readable(
                "11-readable-padding", "PADDING in an AUTHENTICATED record", "R12.4-2", WireBytes.padding(),
                .authenticated),
            .readable(
                "11-readable-odd", "An unknown odd frame in an AUTHENTICATED record", "R12.4-2", WireBytes.odd,
                .authenticated),
            .readable(
                "11-readable-even", "An unknown even frame in an AUTHENTICATED record", "R6.4-2", WireBytes.even,
                .authenticated,
                .unsupported),
        ]
}

extension ConformanceCase {
    /// Sends a frame in a record of the wrong kind on an open readable link.
    fileprivate static func readable(
        _ id: String, _ title: String, _ requirements: String, _ frame: [UInt8], _ kind: RecordKind,
        _ code: CloseCode = .wrongProtection
    ) -> ConformanceCase {
        ConformanceCase(
            id, title, requirements, expects: "CLOSE \(FrameText.name(code)), then the end of the stream"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reachReadable()
            try play.peer.send(frame, as: kind)
            return try play.expectClose(code)
        }
    }

    fileprivate static func encrypted(_ id: String, _ title: String, _ requirements: String) -> ConformanceCase {
        ConformanceCase(
            id, title, requirements, expects: "CLOSE wrong_protection, then the end of the stream"
        ) { (play: Play) throws(Interruption) -> Evidence in
            play.terms.preference = .required
            try play.reach(.open)
            try play.peer.send(WireBytes.message([1, 2, 3]), as: .authenticated)
            return try play.expectClose(.wrongProtection)
        }
    }
}

extension Play {
    /// Opens a link whose payload is readable, if the peer agrees to that.
    func reachReadable() throws(Interruption) {
        terms.preference = .none
        try reach(.open)
        guard peer.behavior.outcome == .readable else { throw .skipped("the peer's payload is encrypted always") }
    }
}
