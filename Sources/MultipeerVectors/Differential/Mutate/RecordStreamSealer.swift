internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerWire

/// Seals records of any kind and content, one after the other, as SPEC §12 asks.
struct RecordStreamSealer {
    private let forge: RecordForge
    private let crypto: SwiftCrypto
    private let suite: Suite
    private var key: [UInt8]
    private var counter: UInt64

    /// nil for what is no key.
    init?(crypto: SwiftCrypto, suite: Suite, key: [UInt8], counter: UInt64 = 0) {
        guard key.count == 32 else { return nil }
        self.crypto = crypto
        self.suite = suite
        self.key = key
        self.counter = counter
        forge = RecordForge(forge: NoiseForge(crypto: crypto), suite: suite)
    }

    /// A whole record; `frames` that would not fit are cut. Beyond the last counter, where nobody can seal, there is no tag.
    mutating func seal(_ kind: UInt8, frames: [UInt8]) -> [UInt8] {
        let frames = Array(frames.prefix(RecordHeader.maximumRecordLength - RecordHeader.length - aeadTagLength))
        guard counter < UInt64.max, let record = try? forge.record(kind, frames, key: key, counter: counter) else {
            return Wire.record(kind, frames)
        }
        counter += 1
        if counter % 65_536 == 0, let next = try? crypto.rekeyed(suite, key: key) { key = next }
        return record
    }
}
