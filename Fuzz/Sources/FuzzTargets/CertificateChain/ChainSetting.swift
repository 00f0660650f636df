import FuzzSupport
import MultipeerCertificates

/// Under which clock and which requirements a chain is judged.
struct ChainSetting {
    let time: Int64
    let requirements: PathRequirements

    private static let times: [Int64] = [
        GenuineLeaf.start(2030), GenuineLeaf.start(2025), GenuineLeaf.start(2025) - 1, GenuineLeaf.start(2026),
        GenuineLeaf.start(2026) + 1, GenuineLeaf.start(2031), GenuineLeaf.start(2031) + 1, GenuineLeaf.start(2045),
        GenuineLeaf.start(2045) + 1, 0, .max, .min,
    ]
    private static let names: [[ExpectedName]] = [
        [], [.uri("multipeer:peer/Ada")], [.dns("ada.example.org")],
        [.dns("ADA.example.org"), .uri("multipeer:peer/Ada")],
        [.dns("ok.example.org")], [.dns("example.org")], [.dns("Fuzz plain")], [.uri("multipeer:peer/ada")],
        [.email("ada@example.org")], [.ip([127, 0, 0, 1])], [.dns("ada.example.org"), .dns("ok.example.org")],
    ]

    init(_ choices: inout Choices) {
        time = choices.pick(Self.times)
        requirements = PathRequirements(
            purpose: choices.pick([.peer, .server, .client]), expectedNames: choices.pick(Self.names),
            maximumIntermediates: choices.pick([7, 2, 1, 0]))
    }

    /// Whether a good leaf, and all that it needs, is accepted.
    func accepts(_ leaf: GenuineLeaf) -> Bool {
        leaf.rejection == nil && leaf.window.contains(time) && leaf.purposes.contains(requirements.purpose)
            && leaf.authorities.count <= requirements.maximumIntermediates
            && requirements.expectedNames.allSatisfy { isName($0, of: leaf) }
    }

    /// Whether nothing but the leaf itself stands in the way.
    var isLenient: Bool {
        time == Self.times[0] && requirements.expectedNames.isEmpty && requirements.maximumIntermediates == 7
    }

    private func isName(_ name: ExpectedName, of leaf: GenuineLeaf) -> Bool {
        switch name {
        case .uri(let uri): uri == "multipeer:peer/Ada"
        case .dns(let host): host.lowercased() == leaf.host
        case .email, .ip: false
        }
    }
}
