import MultipeerVectors
import Testing

@Suite("JSON of vectors")
struct JSONTests {
    private func parse(_ text: String) throws(JSONParser.Fault) -> JSONValue {
        try JSONParser.parse(Array(text.utf8))
    }

    @Test(
        "Written text is read again, and has one form",
        arguments: [
            "{}", "[]", "\"a\\\"b\\\\c\\n\\u0001é😀\"", "[1, -2, 9223372036854775807]",
            "{\"a\": [true, false, null], \"b\": {\"c\": \"\"}}",
        ])
    func roundTrip(text: String) throws {
        let value = try parse(text)
        #expect(JSONWriter.line(value) == text)
        #expect(try parse(JSONWriter.file(value)) == value)
    }

    @Test("A file has sorted keys, two spaces, and a newline at its end")
    func canonical() throws {
        let value = try parse("{\"b\":[1,{}],\"a\":{\"d\":[],\"c\":\"x\"}}")
        #expect(
            JSONWriter.file(value) == """
                {
                  "a": {
                    "c": "x",
                    "d": []
                  },
                  "b": [
                    1,
                    {}
                  ]
                }

                """)
    }

    @Test(
        "Text that is not JSON is refused with its place",
        arguments: [
            ("", 1, 1), ("{", 1, 2), ("[1,]", 1, 4), ("[1] x", 1, 5), ("{\"a\":1,\n\"a\":2}", 2, 4), ("[01]", 1, 2),
            ("[1.5]", 1, 2), ("[1e3]", 1, 2), ("[9223372036854775808]", 1, 2), ("\"\u{01}\"", 1, 2), ("\"\\x\"", 1, 3),
            ("\"\\ud800\"", 1, 8), ("nul", 1, 4), ("{a:1}", 1, 2), ("[\"a\" \"b\"]", 1, 6), ("\"", 1, 2),
            ("\"\\u+041\"", 1, 4), ("\"\\u-000\"", 1, 4), ("\"\\u00g1\"", 1, 4), ("\"\\u004\"", 1, 4),
        ])
    func faults(text: String, line: Int, column: Int) throws {
        let fault = #expect(throws: JSONParser.Fault.self) { try self.parse(text) }
        #expect(fault?.line == line)
        #expect(fault?.column == column)
    }

    @Test("Bytes that are not UTF-8, and unlimited nesting, are refused")
    func depth() {
        #expect(throws: JSONParser.Fault.self) { try JSONParser.parse([0x22, 0xC3, 0x28, 0x22]) }
        #expect(throws: JSONParser.Fault.self) { try self.parse(String(repeating: "[", count: 100_000)) }
    }
}
