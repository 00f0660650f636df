import Glibc

/// Directories that only their owner can enter.
public enum PrivateDirectory {
    /// Creates `path` and the missing directories above it with mode 0700. An existing directory stays as it is.
    public static func prepare(_ path: String) throws(StorageError) {
        guard !path.utf8.contains(0), !path.isEmpty else { throw StorageError(.createDirectory, path, .unsafeName) }
        var partial = path.hasPrefix("/") ? "/" : ""
        for component in path.split(separator: "/") {
            partial += partial.isEmpty || partial.hasSuffix("/") ? String(component) : "/" + component
            // SAFETY: the C string lives for the length of the call and has no NUL bytes inside.
            guard unsafe mkdir(partial, 0o700) != 0 else { continue }
            guard errno == EEXIST else { throw .last(.createDirectory, partial) }
        }
        // This also fails if a file is in the directory's place.
        _ = try OpenFile.openDirectory(path)
    }

    /// Checks that nobody but this user and the administrator can change what the directory holds. Others could put
    /// their own files in the place of those that this user trusts.
    /// - Throws: ``StorageError``: ``StorageError/Reason/ownedByOther(user:)``,
    ///   ``StorageError/Reason/directoryWritableByOthers(mode:)``, ``StorageError/Reason/notFound`` and others.
    public static func check(_ path: String) throws(StorageError) {
        let status = try OpenFile.openDirectory(path).status()
        guard status.owner == geteuid() || status.owner == 0 else {
            throw StorageError(.open, path, .ownedByOther(user: status.owner))
        }
        guard status.permissions & 0o022 == 0 else {
            throw StorageError(.open, path, .directoryWritableByOthers(mode: status.permissions))
        }
    }
}
