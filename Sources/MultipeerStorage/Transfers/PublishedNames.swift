/// The names to try for a finished file, in turn: `photo.jpg`, `photo (2).jpg`, `photo (3).jpg`, ….
struct PublishedNames: Sequence {
    /// The number of names to try.
    static let maximum = 1000

    private let stem: String
    private let fileExtension: String

    /// Creates the names. A dot at the very beginning marks a hidden file, and no extension.
    init(_ name: String) {
        if let dot = name.lastIndex(of: "."), dot != name.startIndex, name[dot...].utf8.count <= 32 {
            stem = String(name[..<dot])
            fileExtension = String(name[dot...])
        } else {
            stem = name
            fileExtension = ""
        }
    }

    func makeIterator() -> some IteratorProtocol<String> {
        (1...Self.maximum).lazy.map(name).makeIterator()
    }

    /// Returns the name with a number. The stem is shortened if the whole would be too long.
    private func name(_ number: Int) -> String {
        let suffix = (number == 1 ? "" : " (\(number))") + fileExtension
        let room = FilePath.maximumNameLength - suffix.utf8.count
        return FilePath.prefix(of: stem, maximumLength: room) + suffix
    }
}
