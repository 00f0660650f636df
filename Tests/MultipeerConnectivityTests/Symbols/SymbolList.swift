import Foundation

/// The public symbols that a description of an API in compact Swift names, in the code blocks of a Markdown file.
///
/// It knows what such a description is written in, and no more: types, members, several names after one `var` or `let`,
/// and cases with raw values.
struct SymbolList {
    /// Such as `MCSession.send(_:toPeers:with:)`, `MCSessionState.connected=2` or `MCErrorDomain`.
    private(set) var names: Set<String> = []
    /// The types around what is read, with the depth of braces at which each began.
    private var types: [(name: String, depth: Int)] = []
    private var depth = 0

    init(markdown: String) {
        let blocks = markdown.components(separatedBy: "```").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        for block in blocks { read(block) }
    }

    private mutating func read(_ block: String) {
        (types, depth) = ([], 0)
        let lines = block.split(separator: "\n").map { $0.components(separatedBy: "//")[0] }
        var rest = Substring(lines.joined(separator: "\n"))
        while let next = rest.first {
            switch next {
            case "{":
                depth += 1
                rest.removeFirst()
            case "}":
                depth -= 1
                types.removeAll { $0.depth >= depth }
                rest.removeFirst()
            case _ where next.isLetter || next == "_": readWord(&rest)
            default: rest.removeFirst()
            }
        }
    }

    private mutating func readWord(_ rest: inout Substring) {
        let word = Self.word(&rest)
        switch word {
        case "class", "struct", "protocol", "enum":
            let name = Self.word(&rest)
            add(name)
            types.append((types.isEmpty ? name : path(name), depth))
            if word == "enum" { readCases(&rest) }
        case "init": add("init" + Self.labels(&rest))
        case "func":
            let name = Self.word(&rest)
            add(name + Self.labels(&rest))
            // A returned type is no name.
            Self.skip(&rest, until: ["\n", ";", "}"])
        case "var", "let": readVariables(&rest)
        default: break
        }
    }

    /// `reliable=0, unreliable=1 }`: a case without a number follows the one before it.
    private mutating func readCases(_ rest: inout Substring) {
        Self.skip(&rest, until: ["{"])
        let end = rest.firstIndex(of: "}") ?? rest.endIndex
        var value = -1
        for part in rest[..<end].dropFirst().split(separator: ",") {
            let sides = part.split(separator: "=").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
            value = sides.count > 1 ? Int(sides[1]) ?? value : value + 1
            add("\(sides[0])=\(value)")
        }
        rest = rest[end...].dropFirst()
        types.removeLast()
    }

    /// `myPeerID, serviceType {get}`, or `displayName: String`, or `minimum = 2, maximum = 8`.
    private mutating func readVariables(_ rest: inout Substring) {
        let end = rest.firstIndex { [";", "\n", "{", "}"].contains($0) } ?? rest.endIndex
        for part in rest[..<end].split(separator: ",") {
            let sides = part.split(separator: "=").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
            let name = sides[0].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            add(sides.count > 1 ? "\(name)=\(sides[1])" : String(name))
        }
        rest = rest[end...]
        if rest.first == "{" { rest = rest[(rest.firstIndex(of: "}") ?? rest.endIndex)...].dropFirst() }
    }

    private mutating func add(_ name: String) { names.insert(path(name)) }

    private func path(_ name: String) -> String { types.last.map { "\($0.name).\(name)" } ?? name }

    // MARK: Words

    private static func word(_ rest: inout Substring) -> String {
        rest = rest.drop { !$0.isLetter && $0 != "_" }
        let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        rest = rest.dropFirst(word.count)
        return String(word)
    }

    private static func skip(_ rest: inout Substring, until ends: Set<Character>) {
        rest = rest.drop { !ends.contains($0) }
    }

    /// The labels of the parameters that follow: `(_:toPeers:with:)`.
    private static func labels(_ rest: inout Substring) -> String {
        guard rest.first == "(" else { return "" }
        var (depth, labels, isAtStart) = (0, "", true)
        while let next = rest.popFirst() {
            switch next {
            case "(", "[", "<": depth += 1
            case ")", "]", ">":
                depth -= 1
                if depth == 0 { return "(\(labels))" }
            case "-":
                // The arrow of a function type has a bracket that opens nothing.
                if rest.first == ">" { rest.removeFirst() }
            case ",": if depth == 1 { isAtStart = true }
            case _ where isAtStart && (next.isLetter || next == "_"):
                let label = String(next) + rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
                labels += label + ":"
                isAtStart = false
            default: break
            }
        }
        return "(\(labels))"
    }
}
