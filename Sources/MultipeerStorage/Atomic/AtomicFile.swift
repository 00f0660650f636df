/// Writes small files atomically: a reader sees the old content or the new one, and never a part of either.
///
/// The bytes go into a new file of mode 0600 in the same directory and onto the disk. Only then does the file get its
/// name. The calls block; they are meant for files of kilobytes.
enum AtomicFile {
    /// What happens to an existing file of the same name.
    enum Publication {
        /// The existing file is replaced.
        case replacing
        /// The existing file stays, and the writer fails with ``StorageError/Reason/alreadyExists``.
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
        // Without this a power cut may lose the name, although the bytes are on the disk.
        try directory.synchronise()
    }
}
