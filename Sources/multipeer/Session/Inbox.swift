import MultipeerCore
import MultipeerCrypto
import MultipeerStorage

/// The folder for files that peers send.
struct Inbox: Sendable {
    let directory: String
    /// What processes that ended suddenly left in the folder.
    let abandoned: AbandonedFiles

    /// Creates the folder if it does not exist, and checks that it takes files.
    init(directory: String) throws(CommandFailure) {
        do throws(StorageError) {
            try PrivateDirectory.prepare(directory)
            try ReceivedFile.checkDirectory(directory)
            abandoned = try AbandonedFiles.sweep(directory, now: WallClock.now())
        } catch {
            throw CommandFailure(error)
        }
        self.directory = directory
    }
}

extension AbandonedFiles {
    /// What people should know about the files, or nil if there are none.
    func text(in directory: String) -> String? {
        let days = Self.maximumAge / 86_400
        var parts: [String] = []
        if kept > 0 { parts.append("\(kept) kept for \(days) days (\(keptBytes) bytes)") }
        if removed > 0 { parts.append("\(removed) removed after \(days) days") }
        guard !parts.isEmpty else { return nil }
        let place = SafeText.escape(directory)
        return "unfinished files of programs that were killed, in \(place): " + parts.joined(separator: ", ")
    }
}

/// The file that is being received. SPEC §15.3 allows one at a time.
struct IncomingTransfer: Sendable {
    let id: FileID
    let name: String
    let size: UInt64
    let file: ReceivedFile
    var received: UInt64 = 0

    var progress: FileProgress {
        FileProgress(direction: .received, name: name, transferred: received, size: size)
    }
}
