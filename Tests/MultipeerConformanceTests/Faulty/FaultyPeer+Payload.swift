import MultipeerConformance
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerWire

/// Messages, and files that come (SPEC §15). This peer sends none.
extension FaultyPeer {
    struct Files {
        /// Nil before the first offer.
        var next: UInt64?
        var current: UInt64?
        var isAccepted = false
        var size: UInt64 = 0
        var content: [UInt8] = []
        /// Whether this side has cancelled the last file, so that what is on the way of it is ignored.
        var ignoresLast = false
    }

    func takePayload(_ type: FrameType, _ payload: [UInt8]) throws {
        switch type {
        case .message: try takeMessage(payload)
        case .messagePart: try takePart(payload)
        case .fileOffer: try takeOffer(try decode(FileOffer.self, payload))
        case .fileData: try takeData(payload)
        case .fileEnd: try takeEnd(try decode(FileEnd.self, payload))
        case .fileCancel: try takeCancel(try decode(FileCancel.self, payload))
        default: throw Failure(code: .unexpectedFrame)
        }
    }

    // MARK: Messages

    private func takeMessage(_ payload: [UInt8]) throws {
        guard let total = try? MessageFrame.total(payload: payload.span) else { throw Failure(code: .malformed) }
        guard total <= 1_000_000 || has(.takesTooLongMessage) else { throw Failure(code: .limitExceeded) }
        let count = UInt64(payload.count - VarInt.length(of: total))
        guard (count <= total && (count > 0 || total == 0)) || has(.takesSurplusData) else {
            throw Failure(code: .malformed)
        }
        // Fields come first, then what is under way (R18-1).
        guard messageTotal == nil else { throw Failure(code: .unexpectedFrame) }
        (messageTotal, messageCount) = count < total ? (total, count) : (nil, 0)
    }

    private func takePart(_ payload: [UInt8]) throws {
        guard !payload.isEmpty else { throw Failure(code: .malformed) }
        guard let total = messageTotal else {
            if has(.takesPartAlone) { return }
            throw Failure(code: .unexpectedFrame)
        }
        let count = messageCount + UInt64(payload.count)
        guard count <= total else { throw Failure(code: .malformed) }
        (messageTotal, messageCount) = count < total ? (total, count) : (nil, 0)
    }

    // MARK: Files

    private func takeOffer(_ offer: FileOffer) throws {
        guard files.current == nil || has(.takesSecondOffer) else { throw Failure(code: .unexpectedFrame) }
        guard offer.id == nextFile || has(.takesAnyFileID) else { throw Failure(code: .malformed) }
        files = Files(next: offer.id + 2, current: offer.id, size: offer.size)
        answers.append { [self] in
            guard files.current == offer.id else { return }
            if settings.takesFiles {
                files.isAccepted = true
                send(FileAccept(id: offer.id))
            } else {
                cancel(offer.id, .declined)
            }
        }
    }

    /// The number of the tester's next file: even if its identity key is the lesser one (SPEC §15.3).
    private var nextFile: UInt64 {
        let own = settings.identity.identityKey.rawBytes
        return files.next ?? ((script.peerKey ?? []).lexicographicallyPrecedes(own) ? 0 : 1)
    }

    private func cancel(_ id: UInt64, _ reason: FileCancel.Reason) {
        send(FileCancel(id: id, reason: reason))
        files.current = nil
        files.ignoresLast = true
    }

    private func takeData(_ payload: [UInt8]) throws {
        let (id, offset, data): (UInt64, UInt64, [UInt8])
        do {
            let frame = try FileDataFrame(payload: payload.span)
            (id, offset, data) = (frame.id, frame.offset, [UInt8](copying: frame.data))
        } catch {
            throw Failure(code: .malformed)
        }
        guard try isUnderWay(id) else { return }
        guard offset == UInt64(files.content.count) || has(.takesFileGap) else { throw Failure(code: .malformed) }
        guard UInt64(files.content.count + data.count) <= files.size || has(.takesFileBeyondSize) else {
            throw Failure(code: .malformed)
        }
        files.content += data
    }

    private func takeEnd(_ end: FileEnd) throws {
        guard try isUnderWay(end.id) else { return }
        guard UInt64(files.content.count) == files.size else { throw Failure(code: .unexpectedFrame) }
        guard end.digest == script.sha256(files.content) || has(.takesAnyHash) else {
            return cancel(end.id, .hashMismatch)
        }
        files.current = nil
        send(FileDone(id: end.id))
    }

    /// Whether data of this file is to be taken; false to ignore it.
    private func isUnderWay(_ id: UInt64) throws -> Bool {
        if files.current == nil, files.ignoresLast, id + 2 == files.next { return false }
        guard files.current == id, files.isAccepted else { throw Failure(code: .unexpectedFrame) }
        return true
    }

    private func takeCancel(_ cancel: FileCancel) throws {
        guard cancel.id % 2 == nextFile % 2, cancel.id < nextFile else {
            if has(.takesUnknownFileCancel) { return }
            throw Failure(code: .unexpectedFrame)
        }
        if files.current == cancel.id { files.current = nil }
    }
}
