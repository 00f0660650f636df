import Glibc

/// Splits paths, and checks what may become a file name.
enum FilePath {
    /// The greatest length of a file name on the usual file systems, in bytes.
    static let maximumNameLength = 255

    /// Returns the directory and the last component. A path without a slash is in the current directory.
    static func split(_ path: String) throws(StorageError) -> (directory: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else {
            try checkName(path)
            return (".", path)
        }
        let name = String(path[path.utf8.index(after: slash)...])
        try checkName(name)
        let directory = String(path[..<slash])
        return (directory.isEmpty ? "/" : directory, name)
    }

    /// The name of what a path leads to, also where the path does not end in it: `.`, `..`, `/`.
    static func lastName(of path: String) -> String {
        let last = path.split(separator: "/").last.map(String.init) ?? ""
        guard ["", ".", ".."].contains(last) else { return last }
        // SAFETY: the C string is the caller's from here on, and freed; the path has no NUL, because it was opened.
        guard let real = unsafe realpath(path, nil) else { return last }
        defer { unsafe free(real) }
        let components = unsafe String(validatingCString: real)?.split(separator: "/")
        // The folder of all folders has no name.
        return components?.last.map(String.init) ?? "root"
    }

    /// Checks that a name is a plain file name: not empty, not `.` or `..`, no separator, no NUL, at most 255 bytes.
    static func checkName(_ name: String) throws(StorageError) {
        let isPlain =
            !name.isEmpty && name != "." && name != ".." && name.utf8.count <= maximumNameLength
            && !name.utf8.contains(UInt8(ascii: "/")) && !name.utf8.contains(0)
        guard isPlain else { throw StorageError(.open, name, .unsafeName) }
    }

    /// Returns a hidden name for `name` while the file is incomplete. It is random, so nobody can create it in advance.
    static func hidden(_ name: String, suffix: String) -> String {
        let random = String(UInt64.random(in: .min ... .max), radix: 16)
        return "." + prefix(of: name, maximumLength: 200) + "." + random + suffix
    }

    /// Whether ``hidden(_:suffix:)`` can have made the name.
    static func isHidden(_ name: String, suffix: String) -> Bool {
        guard name.hasPrefix("."), name.hasSuffix(suffix) else { return false }
        let parts = name.dropFirst().dropLast(suffix.count).split(separator: ".", omittingEmptySubsequences: false)
        return parts.count > 1 && parts.last.flatMap { UInt64($0, radix: 16) } != nil
    }

    /// Returns as many whole characters of `name` as fit.
    static func prefix(of name: String, maximumLength: Int) -> String {
        var length = 0
        let kept = name.prefix { character in
            length += character.utf8.count
            return length <= maximumLength
        }
        return String(kept)
    }
}
