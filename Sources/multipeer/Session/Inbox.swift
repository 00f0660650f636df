import MultipeerCore
import MultipeerCrypto
import MultipeerStorage

/// The folder for files that peers send.
struct Inbox: Sendable {
    let directory: String

    /// Creates the folder if it does not exist, and checks that it takes files.
    init(directory: String) throws(CommandFailure) {
        do throws(StorageError) {
            try PrivateDirectory.prepare(directory)
            try ReceivedFile.checkDirectory(directory)
        } catch {
            throw CommandFailure(error)
        }
        self.directory = directory
    }
}

/// The file that is being received. SPEC §15.3 allows one at a time.
struct IncomingTransfer: Sendable {
    let name: String
    let size: UInt64
    let file: ReceivedFile
    var received: UInt64 = 0

    var progress: FileProgress {
        FileProgress(direction: .received, name: name, transferred: received, size: size)
    }
}
