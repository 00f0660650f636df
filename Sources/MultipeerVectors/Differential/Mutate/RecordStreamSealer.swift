internal import MultipeerCrypto
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// Seals records of any kind and content, one after the other, as SPEC §12 asks.
struct RecordStreamSealer {
    private var cipher: RecordCipher

    /// nil for what is no key.
    init?(crypto: SwiftCrypto, suite: Suite, key: [UInt8], counter: UInt64 = 0) {
        guard key.count == 32,
            let cipher = try? RecordCipher(suite: suite, key: key, counter: counter, crypto: crypto.provider)
        else { return nil }
        self.cipher = cipher
    }

    /// Replaces the key, because the record before holds REKEY (SPEC §12.6).
    mutating func rekey() { try? cipher.rekey() }

    /// A whole record; `frames` that would not fit are cut. Beyond the last counter, where nobody can seal, there is no tag.
    mutating func seal(_ kind: UInt8, frames: [UInt8]) -> [UInt8] {
        let frames = Array(frames.prefix(RecordHeader.maximumRecordLength - RecordHeader.length - aeadTagLength))
        guard cipher.counter < UInt64.max, let record = try? cipher.seal(frames, kindByte: kind) else {
            return WireBytes.record(kind, frames)
        }
        return record
    }
}
