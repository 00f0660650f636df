package import MultipeerCrypto
package import MultipeerNIO

/// A caller that wants something of the local peer, as far as callers can be counted.
package struct Caller: Hashable, Sendable {
    package let key: IdentityKey
    /// The address it comes from; nil for a Unix socket. All Unix sockets count as one.
    package let host: AddressKey?
    /// The network of that address: of IPv6 its /64, of IPv4 the address itself.
    package let network: AddressKey?
    /// Whether it was met before.
    package let isKnown: Bool

    package init(_ key: IdentityKey, from endpoint: Endpoint?, isKnown: Bool) {
        self.key = key
        host = endpoint.flatMap { AddressKey.wholeAddress(of: $0) }
        network = endpoint.flatMap { AddressKey($0) }
        self.isKnown = isKnown
    }

    private init(_ caller: Caller, isKnown: Bool) {
        (key, host, network) = (caller.key, caller.host, caller.network)
        self.isKnown = isKnown
    }

    /// The same caller, of which is known now whether it was met before.
    package func remembered(_ isKnown: Bool) -> Caller { Caller(self, isKnown: isKnown) }
}

/// A bounded number of places, such as for questions that wait for a person, and the callers that have one.
///
/// Keys cost nothing, so strangers are counted by where they come from: none of these can fill the places alone.
/// Somebody on the same network can have many addresses, so strangers never get all places, wherever they come from. A
/// quarter is for peers that were met before. Those are not counted by address, so a stranger at the same address (a
/// NAT, one host) is not in their way.
package struct CallerPlaces: Sendable {
    /// How many places one peer can have, known or not.
    package static let ofIdentity = 2

    private let all: Int
    private var callers: [Caller] = []

    /// - Parameter all: How many places there are, four or more.
    package init(_ all: Int) { self.all = all }

    /// How many places strangers of one address can have.
    package var ofAddress: Int { all / 4 }
    /// The same of one network.
    package var ofNetwork: Int { all / 2 }
    /// How many places strangers can have in all.
    package var ofStrangers: Int { all - all / 4 }

    /// Gives the caller a place. Returns false if there is none for it.
    package mutating func take(_ caller: Caller) -> Bool {
        guard hasRoom(for: caller) else { return false }
        callers.append(caller)
        return true
    }

    /// The caller needs one of its places no more.
    package mutating func giveBack(_ caller: Caller) {
        if let index = callers.firstIndex(of: caller) { callers.remove(at: index) }
    }

    private func hasRoom(for caller: Caller) -> Bool {
        let own = callers.count { $0.key == caller.key }
        guard callers.count < all, own < Self.ofIdentity else { return false }
        guard !caller.isKnown else { return true }
        let strangers = callers.filter { !$0.isKnown }
        return strangers.count < ofStrangers
            && strangers.count(where: { $0.host == caller.host }) < ofAddress
            && strangers.count(where: { $0.network == caller.network }) < ofNetwork
    }
}
