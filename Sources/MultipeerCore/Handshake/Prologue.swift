import MultipeerWire

/// What the Noise handshake binds of the negotiation (SPEC §9.1): every byte before the Noise messages.
enum Prologue {
    /// Label ‖ 0 ‖ the openings of both peers, each without the Noise message at its end.
    static func bytes(initiatorOpening: [UInt8], responderOpening: [UInt8]) -> [UInt8] {
        Array("multipeer/1 prologue".utf8) + [0]
            + initiatorOpening.dropLast(InitiatorHello.noiseLength)
            + responderOpening.dropLast(ResponderHello.noiseLength)
    }
}
