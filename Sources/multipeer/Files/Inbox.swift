import MultipeerStorage

/// The folder for files that peers send.
struct Inbox: Sendable {
    /// How many files of one peer are received at a time. The others wait: each needs three descriptors and memory.
    static let filesAtOnce = 4

    let directory: String
    /// What is left in the folder of files that did not come to their end.
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
        return "unfinished files in \(place): " + parts.joined(separator: ", ")
    }
}
