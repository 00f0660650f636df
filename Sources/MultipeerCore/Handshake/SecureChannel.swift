import MultipeerCrypto
import MultipeerWire

/// What the Noise handshake leaves behind: the protection of both directions, and the hash that names this channel.
///
/// Only ``LinkState`` holds one, in the states that have keys. Both directions are references, because every record
/// changes them in place, and because each is dropped as soon as the link has no more use for it.
struct SecureChannel {
    let sending: SendingProtection
    let receiving: ReceivingProtection
    let handshakeHash: Digest
    let suite: Suite

    init(_ transport: consuming NoiseTransport, suite: Suite) {
        handshakeHash = transport.handshakeHash
        sending = SendingProtection(RecordSealer(cipher: transport.sending))
        receiving = ReceivingProtection(RecordOpener(cipher: transport.receiving))
        self.suite = suite
    }
}

/// The key that seals what this side sends.
final class SendingProtection {
    var sealer: RecordSealer

    init(_ sealer: consuming RecordSealer) { self.sealer = sealer }
}

/// The key that opens what the peer sends.
final class ReceivingProtection {
    var opener: RecordOpener

    init(_ opener: consuming RecordOpener) { self.opener = opener }
}
