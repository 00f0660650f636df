/// A line while it is typed.
struct LineEditor: Equatable, Sendable {
    /// What comes of a key.
    enum Outcome: Equatable {
        case typing
        /// The line is complete.
        case done(String)
        /// The person ends the input.
        case ended
    }

    /// The most bytes of a line.
    let limit: Int
    private(set) var text: [Character] = []
    /// Before which character the cursor is.
    private(set) var cursor = 0
    private var byteCount = 0

    init(limit: Int) {
        self.limit = limit
    }

    mutating func take(_ key: Key) -> Outcome {
        switch key {
        case .character(let character): insert(character)
        case .enter:
            defer { clear() }
            return .done(String(text))
        case .endOfInput:
            guard !text.isEmpty else { return .ended }
        case .backspace: erase(from: max(0, cursor - 1), to: cursor)
        case .delete: erase(from: cursor, to: min(text.count, cursor + 1))
        case .eraseLine: erase(from: 0, to: cursor)
        case .eraseWord: erase(from: wordStart, to: cursor)
        case .left: cursor = max(0, cursor - 1)
        case .right: cursor = min(text.count, cursor + 1)
        case .home: cursor = 0
        case .end: cursor = text.count
        case .up, .down, .escape, .other: break
        }
        return .typing
    }

    mutating func clear() {
        (text, cursor, byteCount) = ([], 0, 0)
    }

    /// What has been typed, joined. Marks that were typed one by one become part of the character before them.
    private mutating func insert(_ character: Character) {
        guard byteCount + character.utf8.count <= limit else { return }
        byteCount += character.utf8.count
        if cursor > 0, String(text[cursor - 1]).appending(character).count == 1 {
            text[cursor - 1] = Character(String(text[cursor - 1]) + String(character))
        } else {
            text.insert(character, at: cursor)
            cursor += 1
        }
    }

    private mutating func erase(from start: Int, to end: Int) {
        byteCount -= text[start..<end].reduce(0) { $0 + $1.utf8.count }
        text.removeSubrange(start..<end)
        cursor = start
    }

    /// Where the word before the cursor begins.
    private var wordStart: Int {
        var place = cursor
        while place > 0, text[place - 1] == " " { place -= 1 }
        while place > 0, text[place - 1] != " " { place -= 1 }
        return place
    }
}

extension String {
    fileprivate func appending(_ character: Character) -> String { self + String(character) }
}
