/// The names that a finished file is offered, in turn: `photo.jpg`, `photo (2).jpg`, `photo (3).jpg`, ….
struct PublishedNames: Sequence {
    /// How many names are tried.
    static let maximum = 1000

    private let stem: String
    private let fileExtension: String

    /// A dot at the very beginning makes a hidden file, not an extension.
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

    /// The name with its number, the stem shortened where the whole would be too long.
    private func name(_ number: Int) -> String {
        let suffix = (number == 1 ? "" : " (\(number))") + fileExtension
        let room = FilePath.maximumNameLength - suffix.utf8.count
        return FilePath.prefix(of: stem, maximumLength: room) + suffix
    }
}
