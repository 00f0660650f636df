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

    /// The four choices that time, purpose, names and number of intermediates are.
    private let choices: [UInt8]

    init(_ choices: inout Choices) {
        self.init((0..<4).map { _ in choices.byte() })
    }

    private init(_ choices: [UInt8]) {
        self.choices = choices
        time = Self.times[Int(choices[0]) % Self.times.count]
        let purposes: [PathPurpose] = [.peer, .server, .client]
        requirements = PathRequirements(
            purpose: purposes[Int(choices[1]) % purposes.count],
            expectedNames: Self.names[Int(choices[2]) % Self.names.count],
            maximumIntermediates: [7, 2, 1, 0][Int(choices[3]) % 4])
    }

    /// The same but for one of the four, which the bytes of a chain choose: so every chain that the fuzzer makes is judged
    /// under other clocks and requirements as well.
    func neighbour(_ ders: [[UInt8]], _ number: Int) -> ChainSetting {
        var sum: UInt32 = 2_166_136_261 &+ UInt32(number)
        for byte in ders.joined() { sum = (sum ^ UInt32(byte)) &* 16_777_619 }
        var changed = choices
        changed[Int(sum >> 8) % 4] = UInt8(truncatingIfNeeded: sum >> 16)
        return ChainSetting(changed)
    }

    /// Whether a good leaf, and all that it needs, is accepted.
    func accepts(_ leaf: GenuineLeaf) -> Bool {
        leaf.rejection == nil && leaf.window.contains(time) && leaf.purposes.contains(requirements.purpose)
            && leaf.authorities.count <= requirements.maximumIntermediates
            && requirements.expectedNames.allSatisfy { isName($0, of: leaf) }
    }

    /// Whether nothing but the leaf itself is in the way.
    var isLenient: Bool {
        time == Self.times[0] && requirements.expectedNames.isEmpty && requirements.maximumIntermediates == 7
    }

    private func isName(_ name: ExpectedName, of leaf: GenuineLeaf) -> Bool {
        switch name {
        // An authority that is confined to some names certifies no display name (SPEC §10.8).
        case .uri(let uri): uri == "multipeer:peer/Ada" && !leaf.authorities.contains("constrained")
        case .dns(let host): host.lowercased() == leaf.host
        case .email, .ip: false
        }
    }
}
