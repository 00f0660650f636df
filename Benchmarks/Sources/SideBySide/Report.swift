import Glibc

/// Markdown, line by line, to standard output.
struct Report {
    func title(_ text: String) { print("\n### \(text)\n") }

    func paragraph(_ text: String) { print(text + "\n") }

    func table(_ head: [String], _ rows: [[String]]) {
        print("| " + head.joined(separator: " | ") + " |")
        print("|" + head.map { _ in "---" }.joined(separator: "|") + "|")
        for row in rows { print("| " + row.joined(separator: " | ") + " |") }
        print("")
        fflush(nil)
    }
}

/// One row of DESIGN's budgets.
struct Budget {
    let what: String
    let asked: String
    let found: String
    let isKept: Bool

    var row: [String] { [what, asked, found, isKept ? "yes" : "**no**"] }
}
