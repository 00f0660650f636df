import MultipeerWire

/// The receiving path of frames: which rules hold for all of them, and what takes the rest (SPEC §6.3, §11, §16).
extension Link {
    /// Handles the frames of a record. After one that is an error the peer's CLOSE may still follow (SPEC §16.3).
    mutating func handle(frames: Span<UInt8>, kind: RecordKind) {
        var cursor = FrameCursor(frames)
        var hasRekeyed = false
        context.isHandlingFrames = true
        defer { context.isHandlingFrames = false }
        while !cursor.isAtEnd, !state.isOver {
            do throws(LinkFailureCause) {
                let next: RawFrame?
                do { next = try cursor.next() } catch { return fail(LinkFailureCause(error)) }
                guard let frame = next else { return }
                // REKEY is the last frame of its record (R12.6-2).
                if hasRekeyed, stage != .closing { throw frame.unexpected }
                if frame.rawType == FrameType.rekey.rawValue {
                    try handleRekey(frame, kind: kind, &hasRekeyed)
                    continue
                }
                if try deliver(frame, kind: kind) { continue }
                try handle(frame, kind: kind)
            } catch {
                fail(error)
            }
        }
    }

    /// Takes what nearly all frames are: payload of an open link, which changes in place. False for all others.
    private mutating func deliver(_ frame: borrowing RawFrame, kind: RecordKind) throws(LinkFailureCause) -> Bool {
        guard let type = frame.type, type.isOfOpenLink else { return false }
        return try state.receive(frame, type: type, from: kind, in: context)
    }

    @inline(never)  // rare: docs/decisions/0025
    private mutating func handle(_ frame: borrowing RawFrame, kind: RecordKind) throws(LinkFailureCause) {
        let type = knownType(of: frame)
        if stage == .closing { return try handleWhileClosing(frame, type: type, kind: kind) }
        if state.status.isPeerProved, type == nil, !frame.isIgnorable {
            throw .incompatible(.unsupportedFrame(frame.rawType))
        }
        try checkProtection(of: type, kind: kind)
        switch type {
        case .close: try handleClose(frame)
        case .some(let type) where type.feature == .verification: try handleVerification(frame, type: type)
        case .datagrams: try handleDatagrams(frame)
        case .some(let type) where type != .padding: step(frame, type: type)
        case .some, .none: if !state.status.isPeerProved { throw frame.unexpected }
        }
    }

    /// The type of a frame, if the local peer knows it: those of a feature only if it lists that (SPEC §6.3, R25.6-2).
    private func knownType(of frame: borrowing RawFrame) -> FrameType? {
        guard let type = frame.type else { return nil }
        guard let feature = type.feature else { return type }
        return context.configuration.features.contains(feature) ? type : nil
    }

    /// The peer's direction uses the next key after this record (SPEC §12.6). A link that closes obeys the first one of
    /// a record and judges nothing, or it could not read the CLOSE after it (R12.6-4).
    @inline(never)  // rare: docs/decisions/0025
    private mutating func handleRekey(
        _ frame: borrowing RawFrame, kind: RecordKind, _ hasRekeyed: inout Bool
    ) throws(LinkFailureCause) {
        if stage != .closing || state.status.deliversWhileClosing { try checkProtection(of: .rekey, kind: kind) }
        if stage != .closing {
            guard let payload = state.payload else { throw frame.unexpected }
            _ = try frame.decode(Rekey.self)
            payload.noteFrame()
        }
        guard !hasRekeyed, let keys = state.receiving else { return }
        hasRekeyed = true
        do {
            try keys.opener.rekey()
        } catch {
            isStreamBroken = true
            throw .crypto(error)
        }
    }

    /// Ignores all but CLOSE and the messages of a session that the local peer closed (R16.1-3). Such a link still
    /// counts as open: the protection of what comes is checked (R12.4-2).
    private mutating func handleWhileClosing(
        _ frame: borrowing RawFrame, type: FrameType?, kind: RecordKind
    ) throws(LinkFailureCause) {
        if state.status.deliversWhileClosing ? type != nil || frame.isIgnorable : type == .close {
            try checkProtection(of: type, kind: kind)
        }
        switch type {
        case .close: try handleClose(frame)
        case .some(let type): step(frame, type: type)
        case .none: break
        }
    }

    /// R11-1, R11-2: on a readable link payload frames are readable, and all others are not.
    private func checkProtection(of type: FrameType?, kind: RecordKind) throws(LinkFailureCause) {
        let isPayload = type?.isPayload ?? false
        let isReadable = state.status.payloadEncryption == .readable
        switch kind {
        case .authenticated where !isPayload: throw .violation(.wrongProtection)
        case .encrypted where isPayload && isReadable: throw .violation(.wrongProtection)
        case .authenticated, .encrypted, .hello, .refusal: break
        }
    }

    /// The peer sends nothing more (SPEC §16.1).
    private mutating func handleClose(_ frame: borrowing RawFrame) throws(LinkFailureCause) {
        let code = try frame.decode(Close.self).code
        step(.peerClosed(code))
    }
}
