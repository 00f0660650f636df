import FuzzSupport
import MultipeerCrypto
import MultipeerSodium

/// One direction by SPEC §12, on the bare AEAD: which bytes each record must have.
final class ModelProtection {
    private let aead: any AEAD
    private var key: any AEADKey
    /// The counter of the next record; nil when there is none left (§12.1).
    private(set) var counter: UInt64?

    init(_ aead: any AEAD, key: [UInt8], counter: UInt64) throws {
        self.aead = aead
        self.counter = counter
        self.key = try aead.makeKey(try FuzzCrypto.sodium.secrets.makeSecret(copying: key.span))
    }

    /// The whole record; nil when the counters are used up.
    func seal(_ kind: UInt8, _ frames: [UInt8]) throws -> [UInt8]? {
        guard let counter, counter < .max else { return nil }
        let length = frames.count + 16
        let header = [kind, UInt8(length / 256), UInt8(length % 256)]
        let record =
            kind == 0x10
            ? header + (try sealed(frames, header, counter))  // §12.2
            : header + frames + (try sealed([], header + frames, counter))  // §12.3
        self.counter = counter + 1
        if (counter + 1) % 65_536 == 0 { try rekey() }
        return record
    }

    private func sealed(_ text: [UInt8], _ associatedData: [UInt8], _ nonce: UInt64) throws -> [UInt8] {
        var buffer = associatedData + text + [UInt8](repeating: 0, count: 16)
        let start = associatedData.count
        var span = buffer.mutableSpan
        try key.seal(&span, associatedData: 0..<start, plaintext: start..<start + text.count, nonce: nonce)
        return Array(buffer.dropFirst(start))
    }

    /// R12.5-1.
    private func rekey() throws {
        let successor = Array(try sealed([UInt8](repeating: 0, count: 32), [], .max).prefix(32))
        key = try aead.makeKey(try FuzzCrypto.sodium.secrets.makeSecret(copying: successor.span))
    }
}
