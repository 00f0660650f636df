/// Answers as they are compared and printed.
enum AnswerText {
    /// The first member in which the second lacks what the first has. Members that only a shim has say nothing.
    static func difference(_ own: JSONValue, _ other: JSONValue) -> String? {
        (own.members ?? [:]).sorted { $0.key < $1.key }.first { other[$0.key] != $0.value }?.key
    }

    /// As a shim writes it (Vectors/SHIM.md).
    static func shown(_ reply: Result<SubjectAnswer, SubjectFault>) -> JSONValue {
        switch reply {
        case .success(.accepted(let expected)): ["ok": true, "expected": expected]
        case .success(.rejected(let layer, let code, let expected)):
            ["ok": false, "error": ["layer": .string(layer), "code": .string(code)], "expected": expected]
        case .success(.incomplete(let expected)): ["ok": false, "incomplete": true, "expected": expected]
        case .success(.unimplemented): ["unimplemented": true]
        case .failure(let fault): shown(fault)
        }
    }

    static func shown(_ fault: SubjectFault) -> JSONValue {
        switch fault {
        case .hang: ["fault": "no answer in time"]
        case .fault(let text): ["fault": .string(text)]
        case .unimplemented: ["unimplemented": true]
        case .badQuestion(let text): ["badQuestion": .string(text)]
        case .inconsistent(let text): ["inconsistent": .string(text)]
        }
    }
}

extension SubjectFault {
    /// One word; what is wrong in detail differs from input to input.
    var word: String {
        switch self {
        case .hang: "HANG"
        case .fault: "FAULT"
        case .unimplemented: "unimplemented"
        case .badQuestion: "bad question"
        case .inconsistent: "inconsistent"
        }
    }
}
