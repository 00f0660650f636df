import MultipeerConformance
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerWire

/// The one file that this peer offers, if its settings say so (SPEC §15.3).
extension FaultyPeer {
    struct Outgoing {
        var accept: FileAccept?
        var limit: UInt64 = 0
        var position = 0
        var hasEnd = false
        var isOver = false
    }

    private static let content = (0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    /// Equal for each link, as §15.7 wants it of one content towards one peer.
    private static let tag = [UInt8](repeating: 0x54, count: FileOffer.tagLength)

    /// The number of the file, which is the first of the faulty peer's.
    var offeredNumber: UInt64 { firstNumber ^ 1 }

    /// The link is open.
    func offerFile() {
        association.outgoing = Outgoing()
        send(
            FileOffer(
                id: offeredNumber, size: UInt64(Self.content.count), tag: Self.tag, name: Array("offered.bin".utf8)))
    }

    /// A frame that names the file of the faulty peer; false if there is none, or none any more.
    func takeAnswer(_ type: FrameType, _ payload: [UInt8]) throws {
        guard var file = association.outgoing else { throw Failure(code: .unexpectedFrame) }
        defer { association.outgoing = file }
        switch type {
        case .fileAccept: try take(try decode(FileAccept.self, payload), &file)
        case .credit:
            let credit = try decode(Credit.self, payload)
            if file.isOver { return }
            guard credit.kind == .file, file.accept != nil else { throw Failure(code: .unexpectedFrame) }
            guard credit.limit > file.limit || has(.takesEqualFileCredit) else { throw Failure(code: .malformed) }
            file.limit = credit.limit
            supply(&file)
        case .fileDone:
            if file.isOver { return }
            guard file.hasEnd || has(.takesDoneEarly) else { throw Failure(code: .unexpectedFrame) }
            file.isOver = true
        case .fileCancel:
            let cancel = try decode(FileCancel.self, payload)
            if file.isOver || has(.answersNoCancel) { return }
            send(cancel)
            file.isOver = true
        default: throw Failure(code: .unexpectedFrame)
        }
    }

    private func take(_ accept: FileAccept, _ file: inout Outgoing) throws {
        if file.isOver { return }
        guard file.accept == nil || has(.takesSecondAccept) else { throw Failure(code: .unexpectedFrame) }
        guard accept.offset <= Self.content.count else { throw Failure(code: .malformed) }
        let beginning = Array(Self.content.prefix(Int(accept.offset)))
        guard accept.digest == script.sha256(beginning) || has(.sendsOnWhatDiffers) else {
            send(FileCancel(id: accept.id, reason: .beginningDiffers))
            file.isOver = true
            return
        }
        (file.accept, file.limit, file.position) = (accept, accept.offset + accept.credit, beginning.count)
        supply(&file)
    }

    private func supply(_ file: inout Outgoing) {
        let limit = has(.sendsBeyondCredit) ? Self.content.count : min(Int(clamping: file.limit), Self.content.count)
        let kind: RecordKind = outcome == .readable ? .authenticated : .encrypted
        if file.position < limit {
            let piece = Array(Self.content[file.position..<limit])
            send(WireBytes.fileData(offeredNumber, offset: UInt64(file.position), piece), as: kind)
            file.position = limit
        }
        guard file.position == Self.content.count, !file.hasEnd else { return }
        file.hasEnd = true
        let whole =
            has(.hashesOnlyTheRest) ? Array(Self.content.dropFirst(Int(file.accept?.offset ?? 0))) : Self.content
        send(FileEnd(id: offeredNumber, digest: script.sha256(whole)))
    }
}
