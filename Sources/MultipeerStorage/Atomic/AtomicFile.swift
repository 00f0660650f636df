/// Writes small files so that a reader sees the old content or the new one, never a piece.
///
/// The bytes go into a new file of mode 0600 in the same directory, onto the disk, and only then under their name.
/// Blocks; meant for files of kilobytes.
enum AtomicFile {
    /// What happens to a file that has the name already.
    enum Publication {
        /// It is replaced.
        case replacing
        /// It stays, and the writer fails with ``StorageError/Reason/alreadyExists``.
        case creating
    }

    static func write(
        _ contents: Span<UInt8>, to path: String, _ publication: Publication
    ) throws(StorageError) {
        let (directoryPath, name) = try FilePath.split(path)
        let directory = try OpenFile.openDirectory(directoryPath)
        let temporary = FilePath.hidden(name, suffix: ".tmp")
        let file = try directory.create(temporary)
        do throws(StorageError) {
            try file.write(contents)
            try file.synchronise()
            switch publication {
            case .replacing: try directory.rename(temporary, replacing: name)
            case .creating: try directory.rename(temporary, unlessExists: name)
            }
        } catch {
            directory.remove(temporary)
            throw error
        }
        // Without this the name may be lost in a power cut, though the bytes are not.
        try directory.synchronise()
    }
}
