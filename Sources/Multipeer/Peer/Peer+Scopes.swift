public import MultipeerCertificates
public import MultipeerStorage
public import MultipeerWire

/// Lives that end with a call.
extension Peer {
    /// Runs `body` with the peer of a store (``load(named:from:options:)``), and shuts the peer down afterwards.
    ///
    /// The peer is shut down when `body` has returned or thrown, also in a cancelled task. All links are closed when the call returns.
    /// - Throws: ``MultipeerError``, or what `body` throws.
    public static func withPeer<Result>(
        named name: String? = nil, from store: PeerStore? = nil, options: PeerOptions = PeerOptions(),
        isolation actor: isolated (any Actor)? = #isolation, _ body: (Peer) async throws -> Result
    ) async throws -> Result {
        let peer = try await load(named: name, from: store, options: options)
        return try await finishing({ try await body(peer) }, end: { await peer.shutDown() })
    }

    /// Runs `body` with a new session of this peer, and leaves the session afterwards (``Session/leave()``).
    ///
    /// The session is left when `body` has returned or thrown, also in a cancelled task.
    /// - Throws: What `body` throws.
    public func withSession<Result>(
        trust: Trust = .firstUse, encryption: EncryptionPreference = .required, certificate: LocalCertificate? = nil,
        maximumMembers: Int = 256, unites: Bool = true, isolation actor: isolated (any Actor)? = #isolation,
        _ body: (Session) async throws -> Result
    ) async throws -> Result {
        let session = Session(
            of: self, trust: trust, encryption: encryption, certificate: certificate, maximumMembers: maximumMembers,
            unites: unites)
        return try await Self.finishing({ try await body(session) }, end: { await session.leave() })
    }

    /// Runs `end` after `body`, in a task of its own: the caller's may be cancelled.
    private static func finishing<Result>(
        _ body: () async throws -> Result, isolation actor: isolated (any Actor)? = #isolation,
        end: @escaping @Sendable () async -> Void
    ) async throws -> Result {
        let result: Result
        do {
            result = try await body()
        } catch {
            await Task(operation: end).value
            throw error
        }
        await Task(operation: end).value
        return result
    }
}
