/// A source of the bytes of a file that this side sends.
///
/// The driver asks for each chunk when the transport has taken the previous one, so that no chunk waits for a task. No
/// method may block.
public protocol FileSource: Sendable {
    /// Returns the next bytes: at least one, and at most `maximum`.
    ///
    /// After ``FileSourceStep/notReady`` the source calls `whenReady` as soon as it has bytes, on any thread. If it is
    /// asked again before that, only the last `whenReady` counts.
    func next(atMost maximum: Int, whenReady: @escaping @Sendable () -> Void) -> FileSourceStep

    /// Tells the source that the file has ended, successfully or not. The driver asks for nothing more.
    func stop()
}

/// The answer of a ``FileSource`` to the driver.
public enum FileSourceStep: Sendable {
    /// The next bytes of the file.
    case chunk([UInt8])
    /// The source will have bytes later.
    case notReady
    /// The file cannot be read to its end. The driver cancels it with `sourceFailed`.
    case failed
}
