import CGnuTLS
import CSodium
import MultipeerCrypto
import MultipeerTestSupport
import MultipeerWire
import Testing

/// The AEADs that the compliance suite runs on.
enum AEADBackend: CaseIterable, Sendable {
    case chaChaPoly, aesGCM

    var suite: Suite {
        switch self {
        case .chaChaPoly: .chaChaPoly
        case .aesGCM: .aesGCM
        }
    }

    func algorithm() throws -> any AEAD { try #require(TestProvider.all.aead(of: suite)) }

    func key(_ bytes: [UInt8] = sampleKey) throws -> any AEADKey {
        try algorithm().makeKey(TestProvider.secret(bytes))
    }

    func rawKey(_ bytes: [UInt8]) throws -> any RawNonceAEADKey {
        try #require(try key(bytes) as? any RawNonceAEADKey)
    }

    static let sampleKey = (0..<32).map { UInt8($0 * 7 + 1) }

    /// Ciphertext ‖ tag as other code makes it, with separate buffers: by GnuTLS for both algorithms, and by libsodium.
    func oracles(key: [UInt8], nonce: [UInt8], associatedData: [UInt8], plaintext: [UInt8]) throws -> [[UInt8]] {
        var results = [try gnuTLS(key, nonce, associatedData, plaintext)]
        var sealed = [UInt8](repeating: 0, count: plaintext.count + 16)
        switch self {
        case .chaChaPoly:
            let status = crypto_aead_chacha20poly1305_ietf_encrypt(
                &sealed, nil, plaintext, UInt64(plaintext.count), associatedData, UInt64(associatedData.count), nil,
                nonce, key)
            #expect(status == 0)
            results.append(sealed)
        case .aesGCM:
            // Only where the processor has AES instructions.
            guard crypto_aead_aes256gcm_is_available() == 1 else { break }
            let status = crypto_aead_aes256gcm_encrypt(
                &sealed, nil, plaintext, UInt64(plaintext.count), associatedData, UInt64(associatedData.count), nil,
                nonce, key)
            #expect(status == 0)
            results.append(sealed)
        }
        return results
    }

    private func gnuTLS(
        _ key: [UInt8], _ nonce: [UInt8], _ associatedData: [UInt8], _ plaintext: [UInt8]
    ) throws -> [UInt8] {
        var key = key
        var handle: gnutls_aead_cipher_hd_t?
        let algorithm = self == .aesGCM ? GNUTLS_CIPHER_AES_256_GCM : GNUTLS_CIPHER_CHACHA20_POLY1305
        let status = key.withUnsafeMutableBufferPointer { key in
            var datum = gnutls_datum_t(data: key.baseAddress, size: UInt32(key.count))
            return gnutls_aead_cipher_init(&handle, algorithm, &datum)
        }
        try #require(status == GNUTLS_E_SUCCESS)
        let opened = try #require(handle)
        defer { gnutls_aead_cipher_deinit(opened) }
        var sealed = [UInt8](repeating: 0, count: plaintext.count + 16)
        var count = sealed.count
        try #require(
            gnutls_aead_cipher_encrypt(
                opened, nonce, 12, associatedData, associatedData.count, 16, plaintext, plaintext.count, &sealed,
                &count) == GNUTLS_E_SUCCESS)
        try #require(count == sealed.count)
        return sealed
    }
}

extension AEADKey {
    /// Seals in place in a buffer of its own: `associatedData` ‖ gap ‖ plaintext ‖ tag ‖ 3 bytes that must not change.
    func seal(_ plaintext: [UInt8], associatedData: [UInt8], nonce: UInt64, gap: Int = 0) throws -> [UInt8] {
        let start = associatedData.count + gap
        var buffer = associatedData + [UInt8](repeating: 0xEE, count: gap) + plaintext
        buffer += [UInt8](repeating: 0xEE, count: aeadTagLength + 3)
        var bytes = buffer.mutableSpan
        try seal(
            &bytes, associatedData: 0..<associatedData.count, plaintext: start..<start + plaintext.count, nonce: nonce)
        #expect(Array(buffer[..<associatedData.count]) == associatedData)
        #expect(buffer[associatedData.count..<start].allSatisfy { $0 == 0xEE })
        #expect(buffer.suffix(3) == [0xEE, 0xEE, 0xEE])
        return Array(buffer[start..<start + plaintext.count + aeadTagLength])
    }

    /// Opens into a new array.
    func open(_ sealed: [UInt8], associatedData: [UInt8], nonce: UInt64) throws -> [UInt8] {
        var plaintext: [UInt8] = []
        try plaintext.append(addingCapacity: max(0, sealed.count - aeadTagLength)) {
            (output: inout OutputSpan<UInt8>) throws(CryptoFailure) in
            try open(sealed.span, associatedData: associatedData.span, nonce: nonce, into: &output)
        }
        return plaintext
    }
}
