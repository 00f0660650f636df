public import MultipeerCore
public import MultipeerDriver
import NIOCore

extension LinkConnection {
    /// Offers a file whose bytes come from `source`. `name` has 1–255 bytes of UTF-8, and `size` is in bytes.
    ///
    /// Such a file has the events of any other file, except for `wanted`.
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

extension LinkHandler {
    fileprivate func offerFile(
        name: String, size: UInt64, from source: any FileSource
    ) -> Result<FileID, RequestError> {
        defer { drain() }
        do throws(RequestError) {
            return .success(try driver.offerFile(name: name, size: size, from: source, at: now))
        } catch {
            return .failure(error)
        }
    }
}
