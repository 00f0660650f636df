import MultipeerCore
import Synchronization

/// The names of files that the peer has offered and that nobody receives yet.
final class OfferNames: Sendable {
    private let names = Mutex<[FileID: String]>([:])

    func add(_ file: FileID, _ name: String) { names.withLock { $0[file] = name } }

    /// Returns the name, once.
    @discardableResult
    func take(_ file: FileID) -> String? { names.withLock { $0.removeValue(forKey: file) } }
}
