import MultipeerCore

/// The names to try for a finished file, in turn: `photo.jpg`, `photo (2).jpg`, `photo (3).jpg`, ….
struct PublishedNames {
    /// The number of names to try for one file.
    private static let maximum = 1000

    private let stem: String
    private let fileExtension: String

    /// Creates the names. A dot at the very beginning marks a hidden file, and no extension. Of a compressed archive both endings stay.
    init(_ name: String) {
        let length = Self.extensionLength(of: name)
        stem = String(name.dropLast(length))
        fileExtension = String(name.suffix(length))
    }

    /// How many characters at the end are the extension, with its dot.
    private static func extensionLength(of name: String) -> Int {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex, name[dot...].utf8.count <= 32 else { return 0 }
        let rest = name[..<dot]
        let inner = rest.lastIndex(of: ".").flatMap {
            rest[$0...].lowercased() == ".tar" && $0 != rest.startIndex ? $0 : nil
        }
        return name[(inner ?? dot)...].count
    }

    /// The name that a file has got.
    struct Given {
        let name: String
        /// The same without a number.
        let wish: String
    }

    /// Calls `give` with the names for a file, until one is free, and returns that one. A disk that does not hold the name gets the portable
    /// one (SPEC §15.5).
    static func first(
        for name: String, _ give: (String) throws(StorageError) -> Void
    ) throws(StorageError) -> Given {
        var failure = StorageError(.publish, name, .tooManyNames)
        for wish in [name, SanitizedFileName.portable(name)] {
            let names = PublishedNames(wish)
            for number in 1...maximum {
                let candidate = names.name(number)
                do throws(StorageError) {
                    try give(candidate)
                    return Given(name: candidate, wish: wish)
                } catch {
                    guard error.reason != .alreadyExists else { continue }
                    guard error.reason.isAboutName else { throw error }
                    failure = error
                    break
                }
            }
        }
        throw failure
    }

    /// Returns the name with a number. The stem is shortened if the whole would be too long.
    func name(_ number: Int) -> String {
        let suffix = (number == 1 ? "" : " (\(number))") + fileExtension
        let room = FilePath.maximumNameLength - suffix.utf8.count
        return FilePath.prefix(of: stem, maximumLength: room) + suffix
    }
}
