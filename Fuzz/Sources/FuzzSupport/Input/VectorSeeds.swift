import MultipeerCrypto
public import MultipeerVectors

extension VectorSet {
    /// All cases of a type, with the parameters of their group.
    public func cases(_ type: VectorGroupType) -> [(params: JSONValue, test: VectorTest)] {
        files.flatMap { $0.file.groups }.filter { $0.type == type }.flatMap { group in
            group.tests.map { (group.params, $0) }
        }
    }

    /// All cases of the type with this name; none if there is no such type.
    public func cases(named name: String) -> [(params: JSONValue, test: VectorTest)] {
        VectorGroupType(rawValue: name).map { cases($0) } ?? []
    }

    /// One byte string of every case of a type, where the case has it.
    public func bytes(of type: VectorGroupType, _ member: String = "bytes") -> [[UInt8]] {
        cases(type).compactMap { $0.test.inputs.bytes(member) }
    }
}

extension JSONValue {
    /// A member that holds bytes as lowercase hexadecimal.
    public func bytes(_ member: String) -> [UInt8]? { self[member]?.text.flatMap(Hexadecimal.decode) }
}
