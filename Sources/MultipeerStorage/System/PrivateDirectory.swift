import Glibc

/// Directories that only their owner enters.
public enum PrivateDirectory {
    /// Makes `path` and what is missing above it, mode 0700. A directory that exists stays as it is.
    public static func prepare(_ path: String) throws(StorageError) {
        guard !path.utf8.contains(0), !path.isEmpty else { throw StorageError(.createDirectory, path, .unsafeName) }
        var partial = path.hasPrefix("/") ? "/" : ""
        for component in path.split(separator: "/") {
            partial += partial.isEmpty || partial.hasSuffix("/") ? String(component) : "/" + component
            // SAFETY: a C string for the length of the call, without NUL bytes inside.
            guard unsafe mkdir(partial, 0o700) != 0 else { continue }
            guard errno == EEXIST else { throw .last(.createDirectory, partial) }
        }
        // Also tells a file in the directory's place.
        _ = try OpenFile.openDirectory(path)
    }
}
