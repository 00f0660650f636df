import FuzzSupport

/// FILE_OFFER, decoded.
struct ModelOffer: Equatable {
    let id: UInt64
    let size: UInt64
    let tag: [UInt8]
    let type: UInt8
    let modified: UInt64
    let manifest: UInt64
    let name: [UInt8]

    var hasTag: Bool { tag.contains { $0 != 0 } }

    /// The payload of FILE_OFFER, without fields.
    var encoded: [UInt8] {
        ModelSent.varint(id) + ModelSent.varint(size) + tag + [type] + ModelSent.varint(modified)
            + ModelSent.varint(manifest) + ModelSent.vector(name) + [0]
    }
}

/// A file that the honest peer sends: the first table of SPEC §15.3.
struct ModelOutgoingFile {
    enum State: Equatable {
        case offered
        /// The peer holds `offset` bytes, of which it says this hash.
        case checking(offset: UInt64, hash: [UInt8])
        case sending
        case sent
    }

    let offer: ModelOffer
    var state = State.offered
    /// `used` is the position after the last byte that was seen on the wire.
    var allowance = ModelAllowance(limit: 0)
    /// The position after the last byte that the app has supplied.
    var supplied: UInt64 = 0
    /// How much the app is asked for.
    var wanted: Int?

    /// The bytes that the app supplies are those of ``SessionFile``.
    func content(from offset: UInt64, count: Int) -> [UInt8] {
        SessionFile.content(of: 0, file: offer.id, from: offset, count: count)
    }
}

/// A file that the peer sends: the second table of SPEC §15.3.
struct ModelIncomingFile {
    enum State: Equatable {
        case offered, receiving, storing
        /// Whether FILE_DATA and FILE_END may still come.
        case cancelled(mayCome: Bool)
    }

    let offer: ModelOffer
    var state = State.offered
    /// The position in the file.
    var window = ModelWindow(window: 32_768, limit: 0)
    /// All bytes that came, and what was held before.
    var bytes: [UInt8] = []
    /// The FILE_ACCEPT that is to be sent.
    var owedAccept: (offset: UInt64, hash: [UInt8])?

    init(_ offer: ModelOffer) {
        self.offer = offer
        window.cap = offer.size
    }

    var isCancelled: Bool { if case .cancelled = state { true } else { false } }
    /// Whether bytes are judged.
    var isReceiving: Bool { state == .receiving || state == .cancelled(mayCome: true) }
}
