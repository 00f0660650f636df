import Glibc
import MultipeerCommandLine

/// Small files that tell how the host is.
enum SystemFile {
    /// The text of a file; nil if it cannot be read.
    static func text(_ path: String) -> String? {
        guard let bytes = try? WholeInput.read(path, maximumLength: 4_194_304) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func lines(_ path: String) -> [Substring] { text(path)?.split(separator: "\n") ?? [] }

    /// `KEY=VALUE` of a file in the manner of shells and of Avahi, without blanks and quotes.
    static func values(_ path: String) -> [String: String] {
        var values: [String: String] = [:]
        for line in lines(path) where !line.trimmed.hasPrefix("#") {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            values[String(parts[0].trimmed)] = String(parts[1].trimmed).filter { $0 != "\"" }
        }
        return values
    }

    /// What a folder holds.
    static func names(in folder: String) -> [String] {
        // SAFETY: the stream is closed below, and every name is copied before the next call.
        guard let stream = unsafe opendir(folder) else { return [] }
        defer { _ = unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream), let offset = MemoryLayout<dirent>.offset(of: \.d_name) {
            // SAFETY: the entry holds a C string at this offset, until the next call.
            let text = unsafe (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)
            if let name = unsafe String(validatingCString: text), name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Where a symbolic link leads to.
    static func target(of link: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 4_096)
        // SAFETY: writes at most `count` bytes, without a zero at the end.
        let count = unsafe readlink(link, &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// What the system says of a path, following links; nil if there is nothing.
    static func status(_ path: String) -> stat? {
        var status = stat()
        // SAFETY: writes one structure. The C string lives for the call.
        return unsafe stat(path, &status) == 0 ? status : nil
    }

    /// Whether this process may write there.
    static func isWritable(_ path: String) -> Bool {
        // SAFETY: the C string lives for the call.
        unsafe faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0
    }
}

extension StringProtocol {
    /// The text without blanks at both ends.
    var trimmed: SubSequence {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let begin = drop(while: isBlank)
        guard let end = begin.lastIndex(where: { !isBlank($0) }) else { return begin }
        return begin[...end]
    }
}
