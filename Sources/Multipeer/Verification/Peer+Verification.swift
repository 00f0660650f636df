import MultipeerCore
public import MultipeerCrypto

extension Peer {
    /// Shows a one-time code that a person gives to the person of another peer, who types it there: both keys are
    /// verified then. Peers reach this one where it listens (``Session/listen(at:)``,
    /// ``Advertiser``). One code is shown at a time.
    /// - Parameter number: The public part, which distinguishes codes of several peers: one that nobody else is seen to
    ///   show, and another one than last time; by default any of 1 to 99.
    /// - Throws: ``MultipeerError``.
    /// - Precondition: `number` is one of `OneTimeCode.numbers`.
    public func showCode(number: Int? = nil) async throws(MultipeerError) -> DisplayedCode {
        do throws(NodeRequestError) {
            return try await host.showCode(number: number ?? Int.random(in: 1...99))
        } catch {
            throw .verification(.request(error))
        }
    }

    /// Verifies the peer at an address by the code that it shows, without a session. The local peer remembers its key
    /// as verified, and it remembers the local peer's.
    /// - Parameters:
    ///   - endpoint: Where it listens.
    ///   - code: What its person has told.
    ///   - key: The key that the peer must have, if that is known.
    /// - Returns: The peer that was verified.
    /// - Throws: ``MultipeerError``.
    public func pair(
        with endpoint: Endpoint, code: OneTimeCode, expecting key: IdentityKey? = nil
    ) async throws(MultipeerError) -> PeerID {
        try await pair(PeerPlaces([endpoint], expecting: key), code)
    }

    /// Verifies a peer that was found nearby by the code that it shows, without a session.
    /// - Throws: ``MultipeerError``.
    public func pair(with found: NearbyPeer, code: OneTimeCode) async throws(MultipeerError) -> PeerID {
        try await pair(PeerPlaces(found), code)
    }

    /// Verifies the peer of a link by the code that it shows, without a session.
    /// - Throws: ``MultipeerError``.
    public func pair(with link: PeerLink, code: OneTimeCode) async throws(MultipeerError) -> PeerID {
        try await pair(PeerPlaces(link), code)
    }

    private func pair(_ places: PeerPlaces, _ code: OneTimeCode) async throws(MultipeerError) -> PeerID {
        let (link, _) = try await host.reach(places, for: nil, .pairing, timeout: .seconds(30))
        let result: Result<PeerID, MultipeerError>
        do throws(MultipeerError) {
            result = .success(try await host.pair(on: link, with: code))
        } catch {
            result = .failure(error)
        }
        await host.giveUp(link)
        return try result.get()
    }
}

extension Session {
    /// The local person wants to compare short strings with a member. Returns when the member's person wants to as well
    /// (``SessionEvent/comparisonWanted(_:)``), which may take as long as people do.
    ///
    /// A connection carries one comparison. An app takes part in at most ten within an hour that nobody confirms.
    /// - Throws: ``MultipeerError``.
    public func compare(with member: PeerID) async throws(MultipeerError) -> Comparison {
        guard let connected = core.member(member.key) else { throw .verification(.notConnected) }
        let string = try await core.host.compare(on: connected.link)
        return Comparison(string, with: connected.member, on: connected.link, in: self)
    }
}
