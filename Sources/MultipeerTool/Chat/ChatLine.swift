/// What a line of a chat means.
enum ChatLine: Equatable {
    case message(String)
    case who
    case send(name: String, path: String)
    case unknown(String)

    init(_ line: String) {
        guard line.hasPrefix("/") else {
            self = .message(line)
            return
        }
        if line.hasPrefix("//") {
            self = .message(String(line.dropFirst()))
            return
        }
        let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: true).map(String.init)
        switch (words.first, words.count) {
        case ("/who", 1): self = .who
        case ("/send", 3): self = .send(name: words[1], path: words[2])
        default: self = .unknown(words.first ?? line)
        }
    }
}
