import FuzzSupport
import MultipeerWire

/// Hellos and refusals (SPEC §7), from choices, and whether SPEC.md allows them.
enum BuiltHellos {
    static func initiator(_ choices: inout Choices) throws {
        let (versions, suites) = (values(&choices), values(&choices))
        let extensions = extensions(&choices)
        let hello = InitiatorHello(
            versions: versions, suites: suites, extensions: extensions.list,
            ephemeral: Values.exactly(32, &choices))
        let isLegal = isOffer(versions) && isOffer(suites) && extensions.areLegal
        try check(hello, isLegal: isLegal, body: hello.body()) { try InitiatorHello(body: $0) }
    }

    static func responder(_ choices: inout Choices) throws {
        let extensions = extensions(&choices)
        let hello = ResponderHello(
            version: choices.uint16(), suite: choices.uint16(), extensions: extensions.list,
            ephemeral: Values.exactly(32, &choices), confirmation: Values.exactly(16, &choices))
        try check(hello, isLegal: extensions.areLegal, body: hello.body()) { try ResponderHello(body: $0) }
    }

    static func refusal(_ choices: inout Choices) throws {
        let (versions, suites) = (values(&choices), values(&choices))
        let refusal = Refusal(code: Refusal.Code(rawValue: choices.byte()), versions: versions, suites: suites)
        let isLegal = versions.count <= 32 && suites.count <= 32
        try check(refusal, isLegal: isLegal, body: refusal.body()) { try Refusal(body: $0) }
    }

    /// A list of 2 to 64 bytes of distinct values (SPEC §7.1).
    private static func isOffer(_ values: [UInt16]) -> Bool {
        (1...32).contains(values.count) && Set(values).count == values.count
    }

    private static func values(_ choices: inout Choices) -> [UInt16] {
        let count = [0, 1, 2, 3, 5, 31, 32, 33][choices.int(below: 8)]
        return (0..<count).map { index in count > 5 ? UInt16(index * 257) : choices.uint16() }
    }

    private static func extensions(_ choices: inout Choices) -> (list: [HelloExtension], areLegal: Bool) {
        let list = (0..<choices.int(below: 4)).map { _ in
            HelloExtension(type: choices.uint16(), data: Values.bytes(limit: 2_048, &choices))
        }
        let types = list.map(\.type)
        let ascend = zip(types, types.dropFirst()).allSatisfy { $0 < $1 }
        let length = list.reduce(0) { $0 + 2 + Values.vectorLength($1.data) }
        return (list, ascend && list.allSatisfy { $0.data.count <= 2_048 } && length <= 3_072)
    }

    private static func check<Hello: Equatable>(
        _ hello: Hello, isLegal: Bool, body: [UInt8], _ read: (Span<UInt8>) throws -> Hello
    ) throws {
        do {
            let read = try read(body.span)
            try require(isLegal, "\(Hello.self) is read, and breaks a limit of SPEC.md: \(hello)")
            try requireEqual(read, hello, "\(Hello.self), written and read")
        } catch let error as WireError {
            try require(!isLegal, "\(Hello.self) is legal, and refused with \(error): \(hello)")
        }
    }
}
