internal import MultipeerCrypto

/// Typed access to `params`, `inputs` and steps. What is missing is the vector's fault, not the implementation's.
struct Arguments {
    let json: JSONValue
    let name: String

    init(_ json: JSONValue, _ name: String) {
        self.json = json
        self.name = name
    }

    func has(_ key: String) -> Bool { json[key] != nil }

    private func bad(_ key: String) -> SubjectFault { .badQuestion("\(name).\(key)") }

    func bytes(_ key: String) throws(SubjectFault) -> [UInt8] {
        guard let text = json[key]?.text, let bytes = Hexadecimal.decode(text) else { throw bad(key) }
        return bytes
    }

    func number(_ key: String) throws(SubjectFault) -> Int {
        guard let number = json[key]?.number else { throw bad(key) }
        return number
    }

    func text(_ key: String) throws(SubjectFault) -> String {
        guard let text = json[key]?.text else { throw bad(key) }
        return text
    }

    /// An integer of 64 bits, which is a string of decimal digits.
    func wide(_ key: String) throws(SubjectFault) -> UInt64 {
        guard let text = json[key]?.text, let number = UInt64(text) else { throw bad(key) }
        return number
    }

    func numbers(_ key: String) throws(SubjectFault) -> [Int] {
        guard let elements = json[key]?.elements else { throw bad(key) }
        var numbers: [Int] = []
        for element in elements {
            guard let number = element.number else { throw bad(key) }
            numbers.append(number)
        }
        return numbers
    }

    func byteStrings(_ key: String) throws(SubjectFault) -> [[UInt8]] {
        guard let elements = json[key]?.elements else { throw bad(key) }
        var strings: [[UInt8]] = []
        for element in elements {
            guard let bytes = element.text.flatMap(Hexadecimal.decode) else { throw bad(key) }
            strings.append(bytes)
        }
        return strings
    }

    func objects(_ key: String) throws(SubjectFault) -> [Arguments] {
        guard let elements = json[key]?.elements else { throw bad(key) }
        return elements.map { Arguments($0, "\(name).\(key)") }
    }

    func object(_ key: String) throws(SubjectFault) -> Arguments {
        guard let value = json[key], value.members != nil else { throw bad(key) }
        return Arguments(value, "\(name).\(key)")
    }
}

extension JSONValue {
    /// Bytes as lowercase hexadecimal.
    static func hex(_ bytes: [UInt8]) -> JSONValue { .string(Hexadecimal.encode(bytes)) }

    /// An integer that can exceed 2^53, as decimal text.
    static func wide(_ number: UInt64) -> JSONValue { .string(String(number)) }

    /// An object without the members that are nil.
    static func members(_ members: [String: JSONValue?]) -> JSONValue {
        .object(members.compactMapValues(\.self))
    }
}
