import MultipeerCrypto
import Testing

@Suite("Service labels")
struct ServiceTypeTests {
    @Test(
        "A label of RFC 6335 is accepted (R23.1-1)",
        arguments: ["a", "chat", "a1", "1a", "my-chat", "a-b-c-d-e-f-g-h", "0123456789-ab-c", "multipeer"])
    func allowed(label: String) throws {
        let type = try ServiceType(label)
        #expect(type.label == label)
        #expect(type.dnsName == "_\(label)._tcp")
    }

    @Test(
        "Any other text is refused, and the error says why (R23.1-1)",
        arguments: [
            ("", ServiceTypeError.empty), ("0123456789abcdef", .tooLong(byteCount: 16)), ("123", .noLetter),
            ("1-2", .noLetter), ("-chat", .hyphenAtEdge), ("chat-", .hyphenAtEdge), ("my--chat", .twoHyphens),
            ("Chat", .forbiddenCharacter), ("_chat", .forbiddenCharacter), ("my chat", .forbiddenCharacter),
            ("chät", .forbiddenCharacter), ("chat.", .forbiddenCharacter), ("chat\u{0}", .forbiddenCharacter),
        ])
    func refused(label: String, error: ServiceTypeError) {
        #expect(throws: error) { try ServiceType(label) }
        #expect("\(error)".contains("Choose 1 to 15"))
    }
}
