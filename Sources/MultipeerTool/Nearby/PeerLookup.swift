import Multipeer
import MultipeerCrypto

/// A search, and what the local peer knows of the peer that it means. It says which of the peers nearby that is.
///
/// Names are what strangers say (SPEC §23.4). So a name that the local peer remembers means the keys that it remembers
/// under it, and a peer that has another key is not meant, whatever it calls itself. A name means those that have it
/// exactly, or where nobody has, those whose names differ from it by case alone.
struct PeerLookup: Sendable {
    enum Outcome: Equatable {
        case nobody
        /// No other peer can be meant: it has the key or the tag that was named, or the only one that is remembered under the name. The
        /// key will be asked for.
        case certain(NearbyPeer)
        /// These fit. Others may as well, which were not found yet.
        case possible([NearbyPeer])
        /// These call themselves so, and another key is remembered for the name.
        case foreign([NearbyPeer])
        /// Only this one is called so, and it is called otherwise as well: one of its names is false, and nobody knows which.
        case conflicting(NearbyPeer)
    }

    let search: PeerSearch
    /// The keys that are remembered under the name that is looked for.
    let remembered: Set<IdentityKey>
    /// The tag of the key that is looked for.
    private let tag: KeyTag?
    /// The number of the code that the person was given.
    private let number: Int?

    init(_ search: PeerSearch, remembered: Set<IdentityKey> = [], tag: KeyTag? = nil, number: Int? = nil) {
        self.search = search
        self.remembered = remembered
        self.tag = tag
        self.number = number
    }

    /// - Parameter number: That of the code that the person was given, if any. A code proves more than a remembered
    ///   name, which means the remembered key only without it.
    init(_ search: PeerSearch, by browser: Browser, byCode number: Int? = nil) async {
        switch search {
        case .named(let name):
            let remembered = number == nil ? await browser.rememberedKeys(named: name) : []
            self.init(search, remembered: remembered, number: number)
        case .key(let key): self.init(search, tag: browser.tag(of: key))
        case .showing: self.init(search)
        }
    }

    func outcome(among peers: [NearbyPeer]) -> Outcome {
        let fitting = peers.filter { matches($0, exactly: false) }
        guard let first = fitting.first else { return .nobody }
        switch search {
        case .key(let key): return .certain(first.expecting(key))
        case .named(let text):
            if let exact = fitting.first(where: { $0.id.description == text.lowercased() }) {
                return .certain(exact.namedByTag)
            }
            let exact = fitting.filter { matches($0, exactly: true) }
            let called = exact.isEmpty ? fitting : exact
            let showing = called.filter { shows(number, $0) }
            // A person who types digits of a tag means that tag, whatever its peer is called.
            let meant = (showing.isEmpty ? called : showing).map {
                Self.beginsWith(text.lowercased(), $0) ? $0.namedByTag : $0
            }
            return outcome(of: meant)
        case .showing: return .possible(fitting)
        }
    }

    private func outcome(of fitting: [NearbyPeer]) -> Outcome {
        guard !remembered.isEmpty else {
            if fitting.count == 1, fitting[0].isAmbiguous { return .conflicting(fitting[0]) }
            return .possible(fitting)
        }
        let meant = fitting.filter(isRemembered)
        guard let first = meant.first else { return .foreign(fitting) }
        return remembered.count == 1 ? .certain(first) : .possible(meant)
    }

    /// Whether the key of the peer's tag is one that is remembered under the name.
    private func isRemembered(_ peer: NearbyPeer) -> Bool { peer.known.map { remembered.contains($0.key) } ?? false }

    /// Whether the peer fits what was said.
    /// - Parameter isExact: Whether the case of a name matters.
    private func matches(_ peer: NearbyPeer, exactly isExact: Bool) -> Bool {
        switch search {
        case .showing(let number): shows(number, peer)
        case .key: peer.id == tag && !peer.isPrivate
        case .named(let text):
            isRemembered(peer) || Self.beginsWith(text.lowercased(), peer)
                || Self.isCalled(text, peer, exactly: isExact)
        }
    }

    private func shows(_ number: Int?, _ peer: NearbyPeer) -> Bool {
        number.map { peer.info[ShownNumber.key] == String($0) } ?? false
    }

    /// The fewest digits that count as the beginning of a tag or key, and as many as a tag has.
    private static let digits = 4...2 * KeyTag.length

    private static func beginsWith(_ text: String, _ peer: NearbyPeer) -> Bool {
        guard text.count >= digits.lowerBound, text.allSatisfy(\.isHexDigit) else { return false }
        return peer.id.description.hasPrefix(text) || peer.known?.key.description.hasPrefix(text) == true
    }

    private static func isCalled(_ text: String, _ peer: NearbyPeer, exactly isExact: Bool) -> Bool {
        // Nobody becomes the one that is meant by calling itself by the digits of another one.
        guard text.count < digits.upperBound || !text.allSatisfy(\.isHexDigit) else { return false }
        return ([peer.displayName].compactMap(\.self) + peer.conflictingNames).contains { name in
            isExact ? name.description == text : TypedName.isSame(name.description, text)
        }
    }
}
