import Foundation
import Multipeer
import MultipeerCertificates
import MultipeerClock
import MultipeerCrypto
import MultipeerSodium
import MultipeerStorage
import Synchronization

/// The local peer, as everything that has one peer ID shares it: one node with one key, whatever number of sessions,
/// advertisers and browsers there is.
final class LocalPeer: Sendable {
    let key: IdentityKey
    /// What deadlines are measured by.
    let clock: any SteadyClock
    private let starting: Task<Result<Peer, MultipeerError>, Never>
    private let store: PeerStore?
    /// How many strangers are remembered: as many at a time as a session has peers, all of which may share one router.
    let firstUses = FirstUseLimiter(
        perAddress: FirstUseLimiter.Rate(burst: kMCSessionMaximumNumberOfPeers, interval: .seconds(600)))
    /// The peers that have come under the name of another one.
    let namesakes = Namesakes()
    /// What the app has said already to those that invite.
    let consents: Consents
    /// Where resources are received.
    let inbox: Inbox

    private struct Entry {
        weak let peer: LocalPeer?
    }

    private static let all = Mutex<[IdentityKey: Entry]>([:])

    /// Substitutes for peer IDs without a private key.
    private static let substitutes = Mutex<[KeyTag: MCPeerID]>([:])

    /// The one of a peer ID. Where the store has not the key of an archived one, as on another computer, the local peer
    /// continues with a new key: to stop the app at each start would help nobody.
    static func of(_ id: MCPeerID) -> LocalPeer {
        guard let signer = id.signer else { return of(substitute(for: id)) }
        return all.withLock { all in
            if let peer = all[signer.identityKey]?.peer { return peer }
            let peer = LocalPeer(LocalIdentity(signer: signer, name: id.wireName), isKept: id.isArchived, id.clock)
            all = all.filter { $0.value.peer != nil }
            all[signer.identityKey] = Entry(peer: peer)
            return peer
        }
    }

    private static func substitute(for id: MCPeerID) -> MCPeerID {
        substitutes.withLock { substitutes in
            if let known = substitutes[id.tag] { return known }
            Notices.print(
                "the private key of \(id.displayName) is not in the user's store, so others take this peer for a new one. Keep the archive of "
                    + "a peer ID that was created on this computer, and the folder connectivity/ of the store")
            let new = MCPeerID(displayName: id.displayName)
            substitutes[id.tag] = new
            return new
        }
    }

    /// How long a connection may be interrupted without the app's knowledge. Apps that use Apple's framework expect to hear soon of a peer that is
    /// gone.
    private static let grace: Duration = .seconds(15)

    private init(_ identity: LocalIdentity, isKept: Bool, _ clock: any SteadyClock) {
        self.clock = clock
        consents = Consents(clock)
        key = identity.peer.key
        let store = Result { () throws(PeerStoreError) -> PeerStore? in
            isKept ? try KeptIdentities.store(of: identity.peer.key) : nil
        }
        self.store = (try? store.get()) ?? nil
        inbox = Inbox(
            at: self.store.map { $0.directory + "/received" } ?? NSTemporaryDirectory() + "multipeer-"
                + UUID().uuidString,
            isKept: self.store != nil, clock: clock)
        let opened = store.mapError { MultipeerError.identity(.store($0)) }
        var options = PeerOptions(clock: clock)
        options.grace = Self.grace
        starting = Task {
            await Result.catching { () async throws(MultipeerError) in
                try await Peer.load(identity, rememberingIn: try opened.get(), options: options)
            }
        }
    }

    /// The running peer, once it runs.
    func start() async -> Result<Peer, MultipeerError> { await starting.value }
}

extension Result where Success: Sendable {
    /// What a call returns or throws.
    static func catching(_ body: () async throws(Failure) -> Success) async -> Result {
        do throws(Failure) {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }
}
