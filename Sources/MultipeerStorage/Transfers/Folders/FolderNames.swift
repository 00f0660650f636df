import MultipeerCore

/// The names of what is in one folder of a peer (R15.8-2). What is its own local name comes first, so that nothing else
/// takes that name; the disk says which names it holds, and which two it takes for one.
struct FolderNames {
    /// The most names that are tried. There are no more members than that, so one of them is free.
    private static let tries = 65_537

    /// For each name that was wished for, the number of the next one to try. They are compared as bytes: a `String` would take two forms
    /// of one letter for equal.
    private var numbers: [[UInt8]: Int] = [:]

    /// Whether the part keeps its name on a disk that holds it.
    static func isKept(_ part: [UInt8]) -> Bool { Array(SanitizedFileName.derive(fromPart: part).utf8) == part }

    /// Whether every disk holds the part as it is.
    static func isPortable(_ part: [UInt8]) -> Bool {
        part.allSatisfy { $0 < 0x80 }
            && Array(SanitizedFileName.portable(part: String(decoding: part, as: UTF8.self)).utf8) == part
    }

    /// The next name to try for what would like to be called `wish`: that name, or one with a number. Nil if all have been tried.
    mutating func next(like wish: String) -> String? {
        let key = Array(wish.utf8)
        let number = numbers[key, default: 0] + 1
        guard number <= Self.tries else { return nil }
        numbers[key] = number
        return PublishedNames(wish).name(number)
    }
}
