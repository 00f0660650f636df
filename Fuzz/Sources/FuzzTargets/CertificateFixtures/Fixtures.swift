/// Certificates, keys and signatures that the targets share, by name.
enum Fixtures {
    /// A small authority: `GenuineLeaf.all` says which authority issued what.
    static let authority = table(FixtureTexts.authority)
    /// A leaf and its key of each kind of SPEC §10.3.
    static let keys = table(FixtureTexts.keys)
    /// A signed message and its signature of each kind.
    static let bindings = table(FixtureTexts.bindings)

    /// In order, so that choices stay what they are.
    static let authorityNames = names(FixtureTexts.authority)
    static let kinds = ["ed25519", "p256", "p384", "rsa"]
    static let leaves = kinds.map { keys["\($0) leaf"] ?? [] }

    private static func names(_ text: String) -> [String] {
        text.split(separator: "\n").filter { $0.hasSuffix(":") }.map { String($0.dropLast()) }
    }

    private static func table(_ text: String) -> [String: [UInt8]] {
        var texts: [String: String] = [:]
        var name = ""
        for line in text.split(separator: "\n") {
            if line.hasSuffix(":") { name = String(line.dropLast()) } else { texts[name, default: ""] += line }
        }
        return texts.mapValues { ModelPEM.bytes($0) ?? [] }
    }
}
