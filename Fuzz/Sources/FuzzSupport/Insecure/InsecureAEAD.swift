public import MultipeerCrypto

/// Encrypts nothing, so that a fuzzer sees what it changes. INSECURE, and for fuzzing only.
public struct InsecureAEAD: AEAD {
    /// What a tag is worth.
    public enum Tags: Sendable {
        /// Any tag is right: mutated records get through to what follows.
        case ignored
        /// A sum over key, counter, associated data and text: whatever was not sealed so is refused.
        case summed
    }

    private let tags: Tags

    /// With these tags.
    public init(tags: Tags) {
        self.tags = tags
    }

    public func makeKey(_ secret: consuming Secret) throws(CryptoFailure) -> any AEADKey {
        guard secret.count == 32 else { throw .malformedKey }
        return InsecureKey(tags: tags, key: secret.withBytes { InsecureSum(of: $0) })
    }
}

private final class InsecureKey: AEADKey {
    private let tags: InsecureAEAD.Tags
    private let key: InsecureSum

    init(tags: InsecureAEAD.Tags, key: InsecureSum) {
        self.tags = tags
        self.key = key
    }

    func seal(
        _ buffer: inout MutableSpan<UInt8>, associatedData: Range<Int>, plaintext: Range<Int>, nonce: UInt64
    ) throws(CryptoFailure) {
        let tag = tag(
            nonce, buffer.span.extracting(associatedData), buffer.span.extracting(plaintext))
        for index in tag.indices { buffer[plaintext.upperBound + index] = tag[index] }
    }

    func open(
        _ sealed: Span<UInt8>, associatedData: Span<UInt8>, nonce: UInt64, into plaintext: inout OutputSpan<UInt8>
    ) throws(CryptoFailure) {
        guard sealed.count >= aeadTagLength else { throw .authenticationFailed }
        let text = sealed.extracting(droppingLast: aeadTagLength)
        if tags == .summed {
            let tag = tag(nonce, associatedData, text)
            for index in tag.indices where sealed[text.count + index] != tag[index] { throw .authenticationFailed }
        }
        for index in text.indices { plaintext.append(text[index]) }
    }

    private func tag(_ nonce: UInt64, _ associatedData: Span<UInt8>, _ text: Span<UInt8>) -> [UInt8] {
        guard tags == .summed else { return [UInt8](repeating: 0, count: aeadTagLength) }
        var sum = key
        sum.add(nonce)
        sum.add(UInt64(associatedData.count))
        sum.add(associatedData)
        sum.add(text)
        return sum.bytes(aeadTagLength)
    }
}
