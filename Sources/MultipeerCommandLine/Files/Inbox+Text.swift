import Multipeer
import MultipeerStorage
import MultipeerTransfers

extension DownloadDirectory {
    /// What people should know about the files that did not come to their end, or nil if there are none.
    package var abandonedText: String? {
        let days = AbandonedFiles.maximumAge / 86_400
        var parts: [String] = []
        if abandoned.kept > 0 { parts.append("\(abandoned.kept) kept for \(days) days (\(abandoned.keptBytes) bytes)") }
        if abandoned.removed > 0 { parts.append("\(abandoned.removed) removed after \(days) days") }
        guard !parts.isEmpty else { return nil }
        return "unfinished files in \(SafeText.escape(directory)): " + parts.joined(separator: ", ")
    }
}
