public import MultipeerCore
public import MultipeerCrypto
public import MultipeerWire

/// What comes of the peer's direction of a stream, in order. Nothing comes after the end.
@nonexhaustive
public enum StreamPart: Hashable, Sendable {
    /// The next bytes, at least one.
    case bytes([UInt8])
    /// The direction has ended. Only `StreamEnding.complete` says that all of it has come.
    case ended(StreamEnding)
}

/// What comes of a file that the app has accepted, in order. Nothing comes after the hash or the end.
@nonexhaustive
public enum FilePart: Hashable, Sendable {
    /// The next bytes, at least one.
    case bytes([UInt8])
    /// All bytes came and the hash is right. Store the file, then confirm or refuse it.
    case complete(Digest)
    /// The file ended early.
    case ended(FileCancel.Reason, byPeer: Bool)
}

extension StreamPart {
    /// The event of the part.
    func event(of stream: StreamID) -> LinkEffect {
        switch self {
        case .bytes(let bytes): .stream(.data(stream, bytes))
        case .ended(let ending): .stream(.ended(stream, ending))
        }
    }

    /// Whether bytes that the app has not taken are dropped (SPEC §13.5, §15.6).
    var dropsEarlier: Bool {
        switch self {
        case .ended(.reset), .ended(.linkEnded): true
        default: false
        }
    }
}

extension FilePart {
    /// The event of the part.
    func event(of file: FileID) -> LinkEffect {
        switch self {
        case .bytes(let bytes): .incomingFile(.data(file, bytes))
        case .complete(let digest): .incomingFile(.complete(file, digest))
        case .ended(let reason, let byPeer): .incomingFile(.ended(file, reason, byPeer: byPeer))
        }
    }

    /// Whether nothing comes after it.
    var isLast: Bool { if case .bytes = self { false } else { true } }
}
