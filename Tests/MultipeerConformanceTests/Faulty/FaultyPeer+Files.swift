import MultipeerConformance
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerWire
import Synchronization

/// Files of the tester's (SPEC §15.3).
extension FaultyPeer {
    struct Incoming {
        let offer: FileOffer
        var isAccepted = false
        var isCancelled = false
        /// FILE_END came, and the file is being stored.
        var isStoring = false
        var window = Window(size: 32_768)
        /// The held beginning included.
        var content: [UInt8] = []
        var isHeld = false

        var isReceiving: Bool { isAccepted && !isCancelled && !isStoring }
    }

    func takeFile(_ type: FrameType, _ payload: [UInt8]) throws {
        var reader = Reader(payload.span)
        if type != .fileOffer, type != .fileData, association.outgoing != nil,
            (try? reader.varint(.fileID)) == offeredNumber
        {
            return try takeAnswer(type, payload)
        }
        switch type {
        case .fileOffer: try takeOffer(try decode(FileOffer.self, payload))
        case .fileData: try takeData(payload)
        case .fileEnd: try takeEnd(try decode(FileEnd.self, payload))
        case .fileCancel: try takeCancel(try decode(FileCancel.self, payload))
        case .fileAccept: try refuse(try decode(FileAccept.self, payload).id, type)
        case .fileDone: try refuse(try decode(FileDone.self, payload).id, type)
        default: throw Failure(code: .unexpectedFrame)
        }
    }

    /// An answer to an offer of the tester's own, or to none (R15.3-12, R13.2-2).
    private func refuse(_ id: UInt64, _ type: FrameType) throws {
        guard try judge(id, .file, type), !has(.takesAnswersToNoOffer) else { return }
        throw Failure(code: .unexpectedFrame)
    }

    // MARK: Offers

    private func takeOffer(_ offer: FileOffer) throws {
        try begin(offer.id)
        try association.offers.use(1, tolerates: has(.takesTooManyOffers))
        let isUnderWay = association.files.values.contains(where: \.isReceiving)
        if has(.refusesSecondFile), isUnderWay { throw Failure(code: .unexpectedFrame) }
        association.files[offer.id] = Incoming(offer: offer)
        answers.append { [self] in
            guard let file = association.files[offer.id], !file.isAccepted else { return }
            if settings.takesFiles { accept(file) } else { cancel(offer.id, .declined) }
        }
    }

    private func accept(_ file: Incoming) {
        var file = file
        if let held = beginning(for: file.offer) { (file.content, file.isHeld) = (held, true) }
        let offset = UInt64(file.content.count)
        file.window = Window(size: 32_768, from: offset)
        file.isAccepted = true
        association.files[file.offer.id] = file
        let digest = has(.hashesNothingOfHeld) ? FileAccept.digestOfNothing : script.sha256(file.content)
        send(FileAccept(id: file.offer.id, offset: offset, digest: digest, credit: 32_768))
        if has(.doneEarly) { send(FileDone(id: file.offer.id)) }
    }

    /// What is held of the offer (R15.7-2).
    private func beginning(for offer: FileOffer) -> [UInt8]? {
        guard offer.tag != FileOffer.noTag || has(.holdsUntagged) else { return nil }
        let isUsed = association.files.values.contains { $0.isHeld && $0.offer.tag == offer.tag }
        guard !isUsed || has(.holdsTwice) else { return nil }
        guard let held = settings.held.find(heldKey(offer)) else { return nil }
        let isSame = (held.offer.size, held.offer.kind, held.offer.manifest) == (offer.size, offer.kind, offer.manifest)
        return isSame || has(.holdsOtherSize) ? held.content : nil
    }

    private func heldKey(_ offer: FileOffer) -> [UInt8] {
        (has(.holdsForAnybody) ? [] : script.peerKey ?? []) + offer.tag
    }

    /// Ends the file from here. It lives on until the tester's FILE_CANCEL (R15.3-7).
    private func cancel(_ id: UInt64, _ reason: FileCancel.Reason) {
        guard let file = association.files[id] else { return }
        send(FileCancel(id: id, reason: reason))
        association.files[id]?.isCancelled = true
        forget(file, reason)
    }

    private func forget(_ file: Incoming, _ reason: FileCancel.Reason) {
        switch reason {
        case .declined, .cancelled, .hashMismatch, .tooLarge, .sourceChanged, .badManifest:
            settings.held.drop(heldKey(file.offer))
        case .beginningDiffers where !has(.keepsWhatDiffers): settings.held.drop(heldKey(file.offer))
        default: break
        }
    }

    // MARK: Content

    private func takeData(_ payload: [UInt8]) throws {
        let (id, offset, data): (UInt64, UInt64, [UInt8])
        do {
            let frame = try FileDataFrame(payload: payload.span)
            (id, offset, data) = (frame.id, frame.offset, [UInt8](copying: frame.data))
        } catch {
            throw Failure(code: .malformed)
        }
        guard try judge(id, .file, .fileData), var file = association.files[id] else { return }
        guard file.isAccepted, !file.isStoring else {
            if has(.takesDataBehindFileEnd), file.isStoring { return }
            throw Failure(code: .unexpectedFrame)
        }
        guard offset == UInt64(file.content.count) || has(.takesFileGap) else { throw Failure(code: .malformed) }
        guard UInt64(file.content.count + data.count) <= file.offer.size || has(.takesFileBeyondSize) else {
            throw Failure(code: .malformed)
        }
        try file.window.use(UInt64(data.count), tolerates: has(.takesFileOverdraft))
        file.window.released = file.window.used
        file.content += data
        association.files[id] = file
        if !file.isCancelled { settings.held.keep(file.content, of: file.offer, under: heldKey(file.offer)) }
    }

    private func takeEnd(_ end: FileEnd) throws {
        guard try judge(end.id, .file, .fileEnd), let file = association.files[end.id] else { return }
        guard file.isAccepted, !file.isStoring, UInt64(file.content.count) == file.offer.size else {
            throw Failure(code: .unexpectedFrame)
        }
        association.files[end.id]?.isStoring = true
        guard !file.isCancelled else { return }
        guard end.digest == script.sha256(file.content) || has(.takesAnyHash) else {
            return cancel(end.id, .hashMismatch)
        }
        guard file.offer.kind != .folder || hasGoodManifest(file) || has(.takesAnyManifest) else {
            return cancel(end.id, .badManifest)
        }
        answers.append { [self] in
            guard let file = association.files[end.id], !file.isCancelled else { return }
            send(FileDone(id: end.id))
            remove(end.id)
        }
    }

    private func takeCancel(_ cancel: FileCancel) throws {
        guard try judge(cancel.id, .file, .fileCancel), let file = association.files[cancel.id] else { return }
        forget(file, cancel.reason)
        remove(cancel.id)
    }

    private func remove(_ id: UInt64) {
        association.files[id] = nil
        association.offers.released += 1
    }

    // MARK: Folders

    /// R15.8-1, but for what no case asks.
    private func hasGoodManifest(_ file: Incoming) -> Bool {
        let manifest = Array(file.content.prefix(Int(file.offer.manifest)))
        var reader = Reader(manifest.span)
        var (sum, paths, files) = (file.offer.manifest, [[UInt8]](), [String]())
        while reader.remaining > 0 {
            guard let type = try? reader.u8(.fileType), type <= 2, let size = try? reader.varint(.fileSize),
                (try? reader.varint(.fileModified)) != nil, let path = try? reader.bytes(1...1_024, .memberPath),
                let text = String(validating: path, as: UTF8.self), type < 2 || size == 0
            else { return false }
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            let isBadPart = parts.contains { $0.isEmpty || $0 == "." || $0 == ".." || $0.utf8.count > 255 }
            guard parts.count <= 32, !isBadPart, paths.last?.lexicographicallyPrecedes(path) ?? true,
                !files.contains(where: { text.hasPrefix($0 + "/") })
            else { return false }
            sum += size
            paths.append(path)
            if type < 2 { files.append(text) }
        }
        return sum == file.offer.size
    }
}

/// Beginnings of files, which outlive a link (SPEC §15.7).
final class HeldFiles: Sendable {
    private let entries = Mutex<[[UInt8]: (offer: FileOffer, content: [UInt8])]>([:])

    func find(_ key: [UInt8]) -> (offer: FileOffer, content: [UInt8])? { entries.withLock { $0[key] } }
    func keep(_ content: [UInt8], of offer: FileOffer, under key: [UInt8]) {
        entries.withLock { $0[key] = (offer, content) }
    }
    func drop(_ key: [UInt8]) { entries.withLock { $0[key] = nil } }
}
