import MultipeerConformance
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerWire

/// Numbers, and streams of the tester's (SPEC §13.2, §15.6). The app reads all but those with the name "slow", writes
/// nothing, and ends its direction after the tester's.
extension FaultyPeer {
    struct Stream {
        /// What comes.
        var window = Window(size: 32_768)
        var peerHasEnded = false
        /// What the faulty peer may send.
        var limit: UInt64
        var hasEnded: Bool
        let isSlow: Bool
    }

    enum NumberKind { case stream, file }

    // MARK: Numbers

    /// The number of the tester's first stream or file: 0 if its identity key is the lesser one.
    var firstNumber: UInt64 {
        let own = settings.identity.identityKey.rawBytes
        return (script.peerKey ?? []).lexicographicallyPrecedes(own) ? 0 : 1
    }

    private var nextNumber: UInt64 { association.next ?? firstNumber }

    /// Begins a stream or a file (R13.2-1).
    func begin(_ id: UInt64) throws {
        guard id == nextNumber || has(.takesAnyNumber) else { throw Failure(code: .malformed) }
        association.next = id + 2
    }

    /// Whether the frame is to be dealt with; false to ignore it (R13.2-2, R13.2-3).
    func judge(_ id: UInt64, _ kind: NumberKind, _ type: FrameType) throws -> Bool {
        guard id % 2 == firstNumber % 2, id < nextNumber else {
            if has(.takesUnusedNumbers) || (type == .fileCancel && has(.takesUnknownFileCancel)) { return false }
            throw Failure(code: .unexpectedFrame)
        }
        let (stream, file) = (association.streams[id] != nil, association.files[id] != nil)
        if stream || file {
            guard stream == (kind == .stream) else {
                if has(.takesOtherKind) { return false }
                throw Failure(code: .unexpectedFrame)
            }
            return true
        }
        switch type {
        case .credit, .streamStop, .fileAccept, .fileCancel, .fileDone:
            if has(.refusesWhatCrossed) { throw Failure(code: .unexpectedFrame) }
            return false
        default:
            if has(.takesEndedNumbers) { return false }
            throw Failure(code: .unexpectedFrame)
        }
    }

    // MARK: Streams

    func takeStream(_ type: FrameType, _ payload: [UInt8]) throws {
        switch type {
        case .streamOpen: try open(try decode(StreamOpen.self, payload))
        case .streamData: try takeStreamData(payload)
        case .streamEnd:
            let end = try decode(StreamEnd.self, payload)
            guard try judge(end.id, .stream, type) else { return }
            try mustLive(end.id)
            guard end.size == association.streams[end.id]?.window.used || has(.takesWrongStreamSize) else {
                throw Failure(code: .malformed)
            }
            peerEnded(end.id)
        case .streamReset:
            let reset = try decode(StreamReset.self, payload)
            guard try judge(reset.id, .stream, type) else { return }
            try mustLive(reset.id)
            peerEnded(reset.id)
        default:
            let stop = try decode(StreamStop.self, payload)
            guard try judge(stop.id, .stream, type), association.streams[stop.id]?.hasEnded == false,
                !has(.answersNoStop)
            else { return }
            send(StreamReset(id: stop.id, code: stop.code))
            association.streams[stop.id]?.hasEnded = true
            removeIfEnded(stop.id)
        }
    }

    private func open(_ frame: StreamOpen) throws {
        try begin(frame.id)
        try association.openings.use(1, tolerates: has(.takesTooManyStreams))
        association.streams[frame.id] = Stream(
            limit: frame.credit, hasEnded: frame.credit == 0, isSlow: frame.name == Array("slow".utf8))
        if frame.credit == 0, has(.endsWhatNeverWas) { send(StreamEnd(id: frame.id, size: 0)) }
    }

    private func takeStreamData(_ payload: [UInt8]) throws {
        let (id, count): (UInt64, UInt64)
        do {
            let frame = try StreamDataFrame(payload: payload.span)
            (id, count) = (frame.id, UInt64(frame.data.count))
        } catch {
            if has(.takesEmptyStreamData) { return }
            throw Failure(code: .malformed)
        }
        guard try judge(id, .stream, .streamData) else { return }
        if has(.takesDataBehindStreamEnd), association.streams[id]?.peerHasEnded == true { return }
        try mustLive(id)
        try association.streams[id]?.window.use(count, tolerates: has(.takesStreamOverdraft))
        if association.streams[id]?.isSlow == false {
            association.streams[id]?.window.released += count
        }
    }

    /// The tester's direction has not ended (R15.6-4).
    private func mustLive(_ id: UInt64) throws {
        guard association.streams[id]?.peerHasEnded == false else { throw Failure(code: .unexpectedFrame) }
    }

    private func peerEnded(_ id: UInt64) {
        association.streams[id]?.peerHasEnded = true
        removeIfEnded(id)
        answers.append { [self] in
            guard association.streams[id]?.hasEnded == false else { return }
            send(StreamEnd(id: id, size: 0))
            association.streams[id]?.hasEnded = true
            removeIfEnded(id)
        }
    }

    private func removeIfEnded(_ id: UInt64) {
        guard let stream = association.streams[id], stream.hasEnded, stream.peerHasEnded else { return }
        association.streams[id] = nil
        if !stream.isSlow { association.openings.released += 1 }
    }
}
