import MultipeerRules
import MultipeerScriptedPeer
import MultipeerTestSupport
import MultipeerVectors
import MultipeerWire
import Testing

/// The committed vectors are played against the core elsewhere; here it is shown that the rules are among them.
@Suite("The catalogue of rules, issue 27")
struct CatalogueTests {
    /// A committed script by what a rule says of it.
    private struct Key: Hashable {
        let type: VectorGroupType
        let comment: String
        let code: String
        let flag: String
    }

    private static func committed() throws -> [Key: [String]] {
        var found: [Key: [String]] = [:]
        for group in try Repository.vectors().files.flatMap(\.file.groups)
        where group.type == .linkScript || group.type == .associationScript {
            for test in group.tests {
                guard case .reject(_, let code, _) = test.result, let flag = test.flags.first else { continue }
                let role = group.params["role"]?.text ?? ""
                // One vector for each order of the keys, and for each peer that invites.
                var comment = test.comment
                for prefix in ["\(role): ", "lesser key: ", "greater key: ", "invitee: ", "inviter: "]
                where comment.hasPrefix(prefix) { comment.removeFirst(prefix.count) }
                found[Key(type: group.type, comment: role + comment, code: code, flag: flag), default: []].append(
                    test.id)
            }
        }
        return found
    }

    @Test("Every rule of a link has a vector for each peer that it names")
    func linkVectors() throws {
        let committed = try Self.committed()
        var vectors = 0
        for rule in Catalogue.link {
            for receiver in rule.vectors {
                let key = Key(
                    type: .linkScript, comment: receiver.rawValue + rule.comment, code: rule.code.registeredName,
                    flag: rule.flag)
                #expect(committed[key] != nil, "\(rule.id) has no vector of an \(receiver)")
                vectors += committed[key]?.count ?? 0
            }
        }
        #expect(vectors >= 863)
    }

    @Test("Every rule of an open link has a vector")
    func associationVectors() throws {
        let committed = try Self.committed()
        for rule in Catalogue.association where !rule.vectors.isEmpty {
            let key = Key(
                type: .associationScript, comment: rule.comment, code: rule.code.registeredName, flag: rule.flag)
            #expect(committed[key] != nil, "\(rule.id) has no vector")
        }
    }

    @Test("No two rules have one name")
    func names() {
        let names = Catalogue.link.map(\.id) + Catalogue.association.map(\.id)
        #expect(Set(names).count == names.count)
        #expect(names.count >= 300)
    }
}
