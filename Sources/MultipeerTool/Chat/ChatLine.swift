/// What a line of a chat means.
enum ChatLine: Equatable {
    case message(String)
    case who
    case send(name: String, path: String)
    /// Compare short strings.
    case compare(String)
    /// What the person says of a short string.
    case answer(isSame: Bool, String)
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
        case ("/verify", 2): self = .compare(words[1])
        case ("/same", 2): self = .answer(isSame: true, words[1])
        case ("/differ", 2): self = .answer(isSame: false, words[1])
        default: self = .unknown(words.first ?? line)
        }
    }
}
