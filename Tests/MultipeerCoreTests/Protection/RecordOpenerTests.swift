import MultipeerCore
import MultipeerCrypto
import MultipeerTesting
import MultipeerWire
import Testing

/// The opener by itself, as embedders use it (SPEC §12.4).
@Suite("Record opener, SPEC §12.4")
struct RecordOpenerTests {
    @Test("R12.4-1: an older record's frames are gone when the next one does not verify, or is readable")
    func olderFramesAreGone() throws {
        for kind in [RecordKind.encrypted, .authenticated] {
            for isChanged in [false, true] {
                var ends = try Ends()
                let first = try ends.seal(.encrypted, [0x05, 0x00])
                try ends.open(.encrypted, first)
                #expect([UInt8](copying: ends.opener.plaintext) == [0x05, 0x00])
                var second = try ends.seal(kind, [0x07, 0x01, 0x09])
                if isChanged { second[4] ^= 1 }
                do {
                    try ends.open(kind, second)
                    #expect(!isChanged)
                } catch {
                    #expect(isChanged && error as? CryptoFailure == .authenticationFailed)
                }
                let isReadable = kind == .encrypted && !isChanged
                let seen = [UInt8](copying: ends.opener.plaintext)
                #expect(seen == (isReadable ? [0x07, 0x01, 0x09] : []))
            }
        }
    }

    /// Both ends of one direction.
    private struct Ends: ~Copyable {
        var sealer: RecordSealer
        var opener: RecordOpener

        init() throws {
            let sending = try Self.cipher()
            let receiving = try Self.cipher()
            sealer = RecordSealer(cipher: sending)
            opener = RecordOpener(cipher: receiving)
        }

        private static func cipher() throws -> CipherState {
            let key = [UInt8](repeating: 7, count: 32)
            return try .preset(
                key: try Peers.crypto.secrets.makeSecret(copying: key.span), suite: .chaChaPoly, crypto: Peers.crypto,
                counter: 0)
        }

        mutating func seal(_ kind: RecordKind, _ frames: [UInt8]) throws -> [UInt8] {
            var wire: [UInt8] = []
            try wire.append(addingCapacity: frames.count + RecordSealer.overhead) {
                (output: inout OutputSpan<UInt8>) throws(CryptoFailure) in
                let start = RecordSealer.begin(in: &output)
                output.append(copying: frames.span)
                try sealer.finish(kind, from: start, in: &output)
            }
            return wire
        }

        mutating func open(_ kind: RecordKind, _ record: [UInt8]) throws {
            try opener.open(RecordHeader(kind: kind, bodyLength: record.count - 3), record: record.span)
        }
    }
}
