import MultipeerCrypto
import MultipeerWire

/// The result of the Noise handshake: the protection of both directions, and the hash that names this channel.
///
/// Only ``LinkState`` holds one, in the states that have keys. Both directions are references, because every record
/// changes them in place, and because each is dropped as soon as the link has no more use for it.
struct SecureChannel {
    /// Nil once the local peer cannot send any more (R9.7-3).
    var sending: SendingProtection?
    /// Nil once no more records can be read (R9.7-3).
    var receiving: ReceivingProtection?
    let exports: ExportKeys
    /// The exchange of short strings, which runs beside the phases.
    let strings = ShortStringExchange()
    let handshakeHash: Digest
    let suite: Suite

    init(_ transport: consuming NoiseTransport, suite: Suite) {
        handshakeHash = transport.handshakeHash
        sending = SendingProtection(RecordSealer(cipher: transport.sending))
        receiving = ReceivingProtection(RecordOpener(cipher: transport.receiving))
        exports = ExportKeys(material: transport.exporterMaterial)
        self.suite = suite
    }
}

/// The key that seals what the local peer sends.
final class SendingProtection {
    // Unchecked in release builds: see docs/decisions/0022.
    #if !DEBUG && !LIBFUZZER
        @safe @exclusivity(unchecked)
    #endif
    var sealer: RecordSealer

    init(_ sealer: consuming RecordSealer) { self.sealer = sealer }
}

/// The key that opens what the peer sends.
final class ReceivingProtection {
    // Unchecked in release builds: see docs/decisions/0022.
    #if !DEBUG && !LIBFUZZER
        @safe @exclusivity(unchecked)
    #endif
    var opener: RecordOpener

    init(_ opener: consuming RecordOpener) { self.opener = opener }

    /// Verifies a record. Returns the frames of an encrypted one.
    @inline(never)  // docs/decisions/0024
    func open(_ header: RecordHeader, record: Span<UInt8>) throws(CryptoFailure) -> [UInt8] {
        try opener.takingPlaintext(header, record: record)
    }
}
