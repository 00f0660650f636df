/// A directoryName constraint: a name holds all names that begin with its relative names (RFC 5280 §7.1).
struct DirectorySubtree {
    private let base: DistinguishedName

    init(_ base: DistinguishedName) {
        self.base = base
    }

    enum Answer {
        case inside, outside
        /// The string types allow no comparison, so the caller takes the answer that refuses.
        case unknown
    }

    func contains(_ name: DistinguishedName) -> Answer {
        guard name.relativeNames.count >= base.relativeNames.count else { return .outside }
        var answer = Answer.inside
        for (expected, actual) in zip(base.relativeNames, name.relativeNames) where expected != actual {
            guard expected.count == actual.count else { return .outside }
            guard let left = Self.comparable(expected), let right = Self.comparable(actual) else {
                answer = .unknown
                continue
            }
            guard left == right else { return .outside }
        }
        return answer
    }

    private struct Prepared: Hashable {
        let type: ObjectIdentifier
        let text: String
    }

    private static func comparable(_ name: Set<DistinguishedName.Attribute>) -> Set<Prepared>? {
        var prepared: Set<Prepared> = []
        for attribute in name {
            guard let text = attribute.comparable else { return nil }
            prepared.insert(Prepared(type: attribute.type, text: text))
        }
        return prepared
    }
}
