/// Where the bytes of a file that this side sends come from.
///
/// The driver asks for one chunk after the other, when the transport has taken the one before, so that no chunk waits for a
/// task. Nothing here may block.
public protocol FileSource: Sendable {
    /// The next bytes: at least one, at most `maximum`.
    ///
    /// After ``FileSourceStep/notReady`` the source calls `whenReady` as soon as it has bytes, on any thread. It may be asked
    /// again before that; then only the last `whenReady` counts.
    func next(atMost maximum: Int, whenReady: @escaping @Sendable () -> Void) -> FileSourceStep

    /// The file has ended, well or not: nothing more is asked for.
    func stop()
}

/// What a ``FileSource`` has for the driver.
public enum FileSourceStep: Sendable {
    /// The next bytes of the file.
    case chunk([UInt8])
    /// There will be bytes later.
    case notReady
    /// The file cannot be read to its end. The driver cancels it with `sourceFailed`.
    case failed
}
