import MultipeerCrypto
import MultipeerWire

/// What the Noise handshake leaves behind: both directions' protection, and the hash that names this channel.
struct SecureChannel: ~Copyable {
    var sealer: RecordSealer
    var opener: RecordOpener
    let handshakeHash: Digest
    let suite: Suite

    init(_ transport: consuming NoiseTransport, suite: Suite) {
        handshakeHash = transport.handshakeHash
        sealer = RecordSealer(cipher: transport.sending)
        opener = RecordOpener(cipher: transport.receiving)
        self.suite = suite
    }
}
