import FuzzSupport
import MultipeerCore
import MultipeerCrypto
import MultipeerSodium
import MultipeerTesting
import MultipeerWire

/// A sealer, an opener, and the list of what was sealed: only the next of these may be opened (R12.4-1).
struct ProtectionRun: ~Copyable {
    struct Sealed {
        let kind: RecordKind
        let frames: [UInt8]
        let record: [UInt8]
    }

    private var sealer: RecordSealer
    private var opener: RecordOpener
    private let model: ModelProtection
    private(set) var sealed: [Sealed] = []
    private(set) var opened = 0
    private let first: UInt64

    /// Both directions begin with the model's key and counter.
    init(sealing: consuming CipherState, opening: consuming CipherState, model: ModelProtection, first: UInt64) {
        sealer = RecordSealer(cipher: sealing)
        opener = RecordOpener(cipher: opening)
        self.model = model
        self.first = first
    }

    static func make(_ suite: Suite, _ provider: CryptoProvider, key: [UInt8], counter: UInt64) throws
        -> ProtectionRun
    {
        let secrets = FuzzCrypto.sodium.secrets
        let sealing = try CipherState.preset(
            key: try secrets.makeSecret(copying: key.span), suite: suite, crypto: provider, counter: counter)
        let opening = try CipherState.preset(
            key: try secrets.makeSecret(copying: key.span), suite: suite, crypto: provider, counter: counter)
        guard let aead = provider.aead(of: suite) else { throw CryptoFailure.unavailableSuite }
        let model = try ModelProtection(aead, key: key, counter: counter)
        return ProtectionRun(sealing: sealing, opening: opening, model: model, first: counter)
    }

    /// Seals frames; the record must be the model's, byte for byte.
    mutating func seal(_ kind: RecordKind, _ frames: [UInt8]) throws {
        let expected = try model.seal(kind.rawValue, frames)
        var wire: [UInt8] = []
        var failure: CryptoFailure?
        wire.append(addingCapacity: frames.count + RecordSealer.overhead) { (output: inout OutputSpan<UInt8>) in
            let start = RecordSealer.begin(in: &output)
            output.append(copying: frames.span)
            do throws(CryptoFailure) { try sealer.finish(kind, from: start, in: &output) } catch { failure = error }
        }
        guard let expected else {
            return try requireEqual(failure, .nonceExhausted, "a record beyond the last counter")
        }
        try requireEqual(failure, nil, "sealing \(frames.count) bytes")
        try requireEqual(wire, expected, "record \(sealed.count) of \(kind), from counter \(first)")
        sealed.append(Sealed(kind: kind, frames: frames, record: wire))
        try requireEqual(sealer.counter, first + UInt64(sealed.count), "the sealer's counter")
    }

    /// The record that is to be opened next.
    var next: Sealed? { opened < sealed.count ? sealed[opened] : nil }

    /// Offers bytes to the opener. They open if they are the next record, and only then.
    mutating func offer(_ record: [UInt8]) throws {
        guard let header = Self.header(record) else { return }
        let isNext = next?.record == record
        var failure: CryptoFailure?
        do throws(CryptoFailure) { try opener.open(header, record: record.span) } catch { failure = error }
        if isNext, let next {
            try requireEqual(failure, nil, "the genuine record \(opened)")
            try requireEqual(released(header, record), next.frames, "the frames of record \(opened)")
            opened += 1
        } else {
            let isOver = first + UInt64(opened) == .max
            try requireEqual(
                failure, isOver ? .nonceExhausted : .authenticationFailed, "what was not sealed as record \(opened)")
            try require(opener.plaintext.isEmpty, "\(opener.plaintext.count) bytes of a record that did not verify")
        }
        try requireEqual(opener.counter, first + UInt64(opened), "the opener's counter")
    }

    private func released(_ header: RecordHeader, _ record: [UInt8]) -> [UInt8] {
        header.kind == .encrypted
            ? [UInt8](copying: opener.plaintext) : Array(record[RecordOpener.authenticatedFrames(of: record.span)])
    }

    /// The header that the assembler would have read: anything else never reaches an opener (SPEC §6.2).
    private static func header(_ record: [UInt8]) -> RecordHeader? {
        guard record.count >= 3, let kind = RecordKind(rawValue: record[0]),
            kind == .encrypted || kind == .authenticated,
            kind.bodyLengths.contains(record.count - 3),
            record.count - 3 == Int(record[1]) * 256 + Int(record[2])
        else { return nil }
        return RecordHeader(kind: kind, bodyLength: record.count - 3)
    }
}
