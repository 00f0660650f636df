import Foundation
import MultipeerCrypto

/// What this computer is called.
enum ComputerName {
    /// At most 63 bytes of UTF-8.
    static var current: String {
        let read = (try? String(contentsOfFile: "/proc/sys/kernel/hostname", encoding: .utf8)) ?? ""
        var name = Substring(read.trimmingCharacters(in: .whitespacesAndNewlines))
        while name.utf8.count > DisplayName.maximumLength { name.removeLast() }
        return name.isEmpty ? "Linux" : String(name)
    }
}
