public import MultipeerCore
public import MultipeerWire

/// A source of the bytes of a file that the local peer sends.
///
/// The driver asks for each chunk when the transport has taken the previous one, so that no chunk waits for a task. No
/// method may block.
public protocol FileSource: Sendable {
    /// Hashes the first `length` bytes, which the peer says that it holds (SPEC §15.7). It is asked at most once, and before
    /// ``next(from:atMost:whenReady:)``; after ``FileBeginningStep/notReady`` it is asked again, as there.
    func beginning(ofLength length: UInt64, whenReady: @escaping @Sendable () -> Void) -> FileBeginningStep

    /// Returns the bytes from `offset` on: at least one, and at most `maximum`.
    ///
    /// Each call continues where the chunk before ended. Only after the link was lost it is asked for bytes once more, from wherever
    /// the peer is (SPEC §13.9).
    ///
    /// After ``FileSourceStep/notReady`` the source calls `whenReady` as soon as it has bytes, on any thread. If it is
    /// asked again before that, only the last `whenReady` counts.
    func next(from offset: UInt64, atMost maximum: Int, whenReady: @escaping @Sendable () -> Void) -> FileSourceStep

    /// Tells the source that the file has ended, successfully or not. The driver asks for nothing more.
    func stop()
}

extension FileSource {
    /// A source that can only begin at the beginning. What is offered from it needs a zero tag.
    public func beginning(
        ofLength length: UInt64, whenReady: @escaping @Sendable () -> Void
    ) -> FileBeginningStep { .failed(.beginningDiffers) }
}

/// The answer of a ``FileSource`` to a request for its next bytes.
public enum FileSourceStep: Sendable {
    /// The next bytes of the file.
    case chunk([UInt8])
    /// The source will have bytes later.
    case notReady
    /// The file cannot be read to its end. The driver cancels it for this reason, such as `sourceFailed`.
    case failed(FileCancel.Reason)
}

/// The answer of a ``FileSource`` to a request for the hash of its beginning.
public enum FileBeginningStep: Sendable {
    /// The hash, and a digester that continues from there.
    case hashed(HeldBeginning)
    /// The source will have it later.
    case notReady
    /// The beginning cannot be read. The driver cancels the file for this reason.
    case failed(FileCancel.Reason)
}
