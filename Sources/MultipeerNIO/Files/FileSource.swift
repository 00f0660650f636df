public import MultipeerCore
import NIOCore

/// Where the bytes of a file that this side sends come from.
///
/// The link's event loop asks for one chunk after the other, when the transport has taken the one before, so that no chunk
/// waits for a task. Nothing here may block.
public protocol FileSource: Sendable {
    /// The next bytes: at least one, at most `maximum`.
    ///
    /// After ``FileSourceStep/notReady`` the source calls `whenReady` once, on any thread, and is then asked again.
    func next(atMost maximum: Int, whenReady: @escaping @Sendable () -> Void) -> FileSourceStep

    /// The file has ended, well or not: nothing more is asked for.
    func stop()
}

/// What a ``FileSource`` has for the link.
public enum FileSourceStep: Sendable {
    /// The next bytes of the file.
    case chunk([UInt8])
    /// There will be bytes later.
    case notReady
    /// The file cannot be read to its end. The link cancels it with `sourceFailed`.
    case failed
}

extension LinkConnection {
    /// Offers a file whose bytes come from `source`. `name` has 1–255 bytes of UTF-8; `size` is in bytes.
    ///
    /// The events of such a file are those of any other, without `wanted`.
    public func offerFile(
        name: String, size: UInt64, from source: any FileSource
    ) async throws(RequestError) -> FileID {
        let result = await withCheckedContinuation { continuation in
            let handler = handler
            channel.eventLoop.execute {
                continuation.resume(returning: handler.value.offerFile(name: name, size: size, from: source))
            }
        }
        return try result.get()
    }
}
