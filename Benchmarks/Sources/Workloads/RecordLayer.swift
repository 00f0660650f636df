import MultipeerCore
import MultipeerCrypto
import MultipeerWire

/// Both halves of record protection with one key, and nothing around them.
public struct RecordLayer: ~Copyable {
    private var sealer: RecordSealer
    private var opener: RecordOpener
    private let kind: RecordKind
    /// Frames are in it after the header; sealing turns them into the record.
    private var wire: [UInt8]
    private let length: Int

    /// Records a payload of `length` bytes takes.
    public let recordsPerPayload: Int

    /// A payload of `length` bytes; where that is more than a record holds, records as full as possible.
    public init(_ peers: Peers, suite: Suite, kind: RecordKind = .encrypted, length: Int) throws {
        // Both before either is stored: what cannot be copied is there wholly or not at all.
        let sending = try Self.cipher(peers, suite)
        let receiving = try Self.cipher(peers, suite)
        sealer = RecordSealer(cipher: sending)
        opener = RecordOpener(cipher: receiving)
        self.kind = kind
        self.length = length
        let most = RecordHeader.maximumPlaintextLength
        recordsPerPayload = (length + most - 1) / most
        wire = [UInt8](repeating: 7, count: min(length, most) + RecordSealer.overhead)
    }

    private static func cipher(_ peers: Peers, _ suite: Suite) throws -> CipherState {
        let key = try peers.crypto.secrets.makeSecret(copying: [UInt8](repeating: 9, count: 32).span)
        return try CipherState(key: key, suite: suite, crypto: peers.crypto)
    }

    /// `count` times: seals the payload in place, and opens it to the opener's own memory.
    @inline(never)
    public mutating func run(_ count: Int) throws {
        for _ in 0..<count {
            var rest = length
            while rest > 0 {
                let frames = min(rest, RecordHeader.maximumPlaintextLength)
                try sealAndOpen(frames)
                rest -= frames
            }
        }
    }

    private mutating func sealAndOpen(_ frames: Int) throws {
        try seal(frames)
        try Self.open(RecordHeader(kind: kind, bodyLength: frames + aeadTagLength), wire, &opener)
        guard kind == .authenticated || opener.plaintext.count == frames else { throw WorkloadFailure.wrongResult }
    }

    private static func open(_ header: RecordHeader, _ wire: [UInt8], _ opener: inout RecordOpener) throws {
        try opener.open(header, record: wire.span.extracting(first: header.recordLength))
    }

    private mutating func seal(_ frames: Int) throws {
        let kind = kind
        try wire.withUnsafeMutableBufferPointer { memory in
            var output = OutputSpan(buffer: memory, initializedCount: 0)
            let start = RecordSealer.begin(in: &output)
            // The frames are there already, so that no copy is measured that the bare AEAD does not make.
            output.withUnsafeMutableBufferPointer { _, initialized in initialized += frames }
            try sealer.finish(kind, from: start, in: &output)
            _ = output.finalize(for: memory)
        }
    }
}
