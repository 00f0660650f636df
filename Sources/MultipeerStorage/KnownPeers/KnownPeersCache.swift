import MultipeerCertificates
import Synchronization

/// The content of the file of known peers as it was read last. It is read again only when the file is another one.
///
/// Writers replace the file, so that device, inode, size and time of change tell whether it is.
final class KnownPeersCache: Sendable {
    private struct Content {
        let status: FileStatus
        let index: KnownPeersIndex
    }

    private let content = Mutex<Content?>(nil)

    /// Returns what the file says. A file that does not exist knows nobody.
    func current(_ path: String) throws(StorageError) -> KnownPeersIndex {
        let file: OpenFile
        do throws(StorageError) {
            file = try OpenFile.openRegular(path, followingLinks: false)
        } catch {
            // Every other failure is an error.
            guard error.phase == .open, error.reason == .notFound else { throw error }
            content.withLock { $0 = nil }
            return KnownPeersIndex()
        }
        let status = try file.status()
        if let cached = content.withLock({ $0 }), cached.status == status { return cached.index }
        let text = try BoundedRead.bytes(
            of: file, maximumLength: KnownPeersText.maximumLength, .unchangeable)
        let index = KnownPeersIndex(try KnownPeersText.decode(text, path: path))
        content.withLock { $0 = Content(status: status, index: index) }
        return index
    }

    /// Takes over what was just written, under the lock that keeps others from writing.
    func note(_ index: KnownPeersIndex, at path: String) {
        let status = try? OpenFile.openRegular(path, followingLinks: false).status()
        content.withLock { $0 = status.map { Content(status: $0, index: index) } }
    }
}
