import MultipeerCertificates
import MultipeerCrypto
import Testing

private let digits: String = String(repeating: "0a", count: 31) + "ff"
private let pairs: [String] = Array(repeating: "0a", count: 31) + ["ff"]
private let joined: String = pairs.joined(separator: ":")

@Suite("The text of a fingerprint, SPEC §10.6")
struct KeyFingerprintTests {
    static let goodTexts: [String] = [
        "sha256:\(digits)", digits, "SHA256:\(digits.uppercased())", joined, "sha256:\(joined.uppercased())",
    ]

    static let badTexts: [String] = [
        "\(digits):", ":\(digits)", "sha256::\(digits)", "0:a\(digits.dropFirst(2))", "0a:\(digits.dropFirst(2))",
        "\(joined):", pairs.joined(separator: "::"), pairs.joined(separator: "-"), "\(digits.dropLast(2))",
        "\(digits)00", "\(digits.dropLast())g", "sha512:\(digits)", "sha256:", "", " \(digits)", "\(digits)\n",
        "\(digits)\u{301}",
    ]

    @Test("Either case, with and without its prefix, and with a colon between every two bytes", arguments: goodTexts)
    func accepted(text: String) {
        #expect(KeyFingerprint(text)?.description == "sha256:" + digits)
    }

    @Test("Colons elsewhere, other lengths and other digits are refused", arguments: badTexts)
    func refused(text: String) {
        #expect(KeyFingerprint(text) == nil)
    }
}
