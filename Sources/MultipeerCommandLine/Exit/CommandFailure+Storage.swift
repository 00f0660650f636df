import Multipeer
package import MultipeerStorage

extension CommandFailure {
    /// Creates a failure of a local file.
    package init(_ error: StorageError) {
        self.init(
            "file", "\(SafeText.escape(error.path)): \(error.reason)", remedy: SafeText.escape(error.remedy),
            error.status)
    }

    /// Creates a failure of the folder with the identity.
    package init(_ error: PeerStoreError) {
        switch error {
        case .storage(let error): self.init(error)
        case .crypto(let failure): self.init(failure)
        case .noHomeDirectory, .variableIsNotText:
            self.init("store", "\(error)", remedy: "Say where the identity is: --store DIR", .usage)
        }
    }
}

extension StorageError {
    fileprivate var status: ExitStatus {
        switch phase {
        case .createDirectory, .write, .synchronise, .publish, .remove: .output
        case .open, .read, .lock: .input
        }
    }
}
