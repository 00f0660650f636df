/// What a hybrid suite adds to a hello: the part of ML-KEM-768 (SPEC §7.6).
public enum HybridShare {
    /// The type of the extension.
    public static let type: UInt16 = 0x0001
    /// How many bytes an encapsulation key has, which an initiator sends.
    public static let encapsulationKeyLength = 1_184
    /// How many bytes a ciphertext has, which a responder sends.
    public static let ciphertextLength = 1_088
}

extension InitiatorHello {
    /// The encapsulation key; nil if the hello offers no hybrid suite.
    /// - Throws: ``WireError`` if it offers one without such a key, or has a key and offers none (R7.6-2).
    public func encapsulationKey() throws(WireError) -> [UInt8]? {
        let key = extensions.first { $0.type == HybridShare.type }?.data
        let offersHybrid = suites.contains { Suite(rawValue: $0)?.isHybrid ?? false }
        guard offersHybrid == (key != nil) else { throw WireError(.valueOutOfRange, in: .extensionType) }
        guard let key else { return nil }
        guard key.count == HybridShare.encapsulationKeyLength else {
            throw WireError(.lengthOutOfRange, in: .extensions)
        }
        return key
    }
}

extension ResponderHello {
    /// The ciphertext; nil if there is none.
    public var ciphertext: [UInt8]? { extensions.first { $0.type == HybridShare.type }?.data }
}
