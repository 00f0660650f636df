/// What is in the rules of nftables (nft(8), `list ruleset`) that can keep peers out.
struct FirewallRules {
    /// Chains that drop by default, and rules that drop one of the ports.
    let signs: [String]

    init(_ text: String, ports: [UInt16]) {
        var signs: [String] = []
        var (table, chain, isFilter) = ("", "", false)
        for line in text.split(separator: "\n").map(\.trimmed) {
            let words = line.split(separator: " ")
            if words.first == "table" { table = words.dropFirst().prefix(2).joined(separator: " ") }
            if words.first == "chain" { (chain, isFilter) = (String(words.dropFirst().first ?? ""), false) }
            if line.contains("hook input") || line.contains("hook output") {
                isFilter = true
                if line.contains("policy drop") { signs.append("nftables \(table) \(chain) drops by default") }
            }
            guard isFilter, words.contains("drop") || words.contains("reject") else { continue }
            let numbers = words.compactMap { UInt16($0.filter(\.isNumber)) }
            let concerns =
                ports.contains(where: numbers.contains) || line.contains("224.0.0.") || line.contains("ff02::")
            if concerns { signs.append("nftables \(table) \(chain) has: \(line)") }
        }
        self.signs = signs
    }
}

/// What is in the rules of iptables (iptables-save(8)) that can keep peers out. Those of the old kind (*legacy*) are
/// not among nftables' own.
struct LegacyFirewallRules {
    /// Chains that drop by default, and rules that drop everything or one of the ports.
    let signs: [String]

    /// - Parameter name: What the rules are called: `iptables` or `ip6tables`.
    init(_ text: String, of name: String, ports: [UInt16]) {
        var signs: [String] = []
        var table = ""
        for line in text.split(separator: "\n").map(\.trimmed) {
            if line.hasPrefix("*") { table = String(line.dropFirst()) }
            let words = line.split(separator: " ").map(String.init)
            if line.hasPrefix(":"), words.count > 1, [":INPUT", ":OUTPUT"].contains(words[0]), words[1] == "DROP" {
                signs.append("\(name) \(table) \(words[0].dropFirst()) drops by default")
            }
            if words.first == "-A", Self.drops(words), Self.concerns(words, ports) {
                signs.append("\(name) \(table) has: \(line)")
            }
        }
        self.signs = signs
    }

    private static func drops(_ words: [String]) -> Bool {
        guard let jump = words.lastIndex(where: { $0 == "-j" || $0 == "-g" }), jump + 1 < words.count else {
            return false
        }
        return ["DROP", "REJECT"].contains(words[jump + 1])
    }

    /// Whether a rule is about everything that comes in or goes out, one of the ports, or the groups of multicast. One in a chain of
    /// its owner's is, if it names them.
    private static func concerns(_ words: [String], _ ports: [UInt16]) -> Bool {
        let isOfHost = ["INPUT", "OUTPUT"].contains(words.count > 1 ? words[1] : "")
        let conditions = words.dropFirst(2).prefix { $0 != "-j" && $0 != "-g" }
        if isOfHost, conditions.isEmpty { return true }
        let numbers = conditions.flatMap { $0.split { !$0.isNumber && $0 != ":" } }
        let namesPort = numbers.contains { number in
            let ends = number.split(separator: ":").compactMap { UInt16($0) }
            guard let first = ends.first, let last = ends.last, first <= last else { return false }
            return ports.contains { (first...last).contains($0) }
        }
        let namesGroup = conditions.contains { $0.hasPrefix("224.0.0.") || $0.hasPrefix("ff02::") }
        return namesGroup || namesPort && conditions.contains { $0.hasSuffix("port") || $0.hasSuffix("ports") }
    }
}

/// The programs that tell the rules of this host's firewalls, to root.
enum FirewallPrograms {
    private static let folders = ["/usr/sbin/", "/sbin/", "/usr/bin/"]

    /// The rules of nftables; nil if they cannot be asked for.
    static var nftables: String? { output(["nft"], ["list", "ruleset"]) }

    /// The rules of the old kind, by what they are called. Where nothing lists nftables' rules, iptables may list them
    /// in its own words.
    static func legacy(hasNftables: Bool) -> [(name: String, rules: String)] {
        [("iptables", "/proc/net/ip_tables_names"), ("ip6tables", "/proc/net/ip6_tables_names")].flatMap {
            name, tables in
            // A question must not load the tables of rules where there are none.
            let legacy = isEmpty(tables) ? nil : output(["\(name)-legacy-save"], []).map { ("\(name) (legacy)", $0) }
            if let legacy { return [legacy] }
            guard !hasNftables || !isEmpty(tables) else { return [] }
            return output(["\(name)-save"], []).map { [(name, $0)] } ?? []
        }
    }

    private static func isEmpty(_ path: String) -> Bool {
        SystemFile.text(path)?.allSatisfy(\.isWhitespace) ?? true
    }

    private static func output(_ programs: [String], _ arguments: [String]) -> String? {
        let paths = programs.flatMap { program in folders.map { $0 + program } }
        return paths.first { SystemFile.status($0) != nil }.flatMap { ProgramOutput.of($0, arguments) }
    }
}
