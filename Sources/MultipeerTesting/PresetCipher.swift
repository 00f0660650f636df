public import MultipeerCrypto
public import MultipeerWire

extension CipherState {
    /// A direction whose counter has any number, as after that number of records, so that tests and fuzzers reach a
    /// rekey (SPEC §12.5) and the end of the nonces without sealing all that comes before.
    ///
    /// - Parameter key: 32 bytes: the key of that counter, rekeys included.
    /// - Parameter suite: The suite whose AEAD is used.
    /// - Parameter crypto: The primitives.
    /// - Parameter counter: The counter of the next record.
    /// - Throws: As the initializer with the counter at zero.
    public static func preset(
        key: consuming Secret, suite: Suite, crypto: CryptoProvider, counter: UInt64
    ) throws(CryptoFailure) -> CipherState {
        try CipherState(key: key, suite: suite, crypto: crypto, nonce: counter)
    }
}
