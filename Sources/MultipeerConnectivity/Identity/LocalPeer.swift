import Foundation
import Multipeer
import MultipeerCertificates
import MultipeerClock
import MultipeerCrypto
import MultipeerSodium
import MultipeerStorage
import Synchronization

/// This side, as everything that has one peer ID shares it: one node with one key, whatever number of sessions, advertisers and browsers
/// there is.
final class LocalPeer: Sendable {
    let key: IdentityKey
    /// What deadlines are measured by.
    let clock: any SteadyClock
    private let starting: Task<Result<Peer, PeerError>, Never>
    private let store: PeerStore?
    /// How many strangers are remembered: as many at a time as a session has peers, all of which may be behind one router.
    let firstUses = FirstUseLimiter(
        perAddress: FirstUseLimiter.Rate(burst: kMCSessionMaximumNumberOfPeers, interval: .seconds(600)))
    /// What the app has said already to those who invite.
    let consents: Consents
    /// Where resources are received. It is removed with this object, unless it is kept with the identity.
    private let inbox: String

    private struct Entry {
        weak let peer: LocalPeer?
    }

    private static let all = Mutex<[IdentityKey: Entry]>([:])

    /// The one of a peer ID.
    /// - Precondition: The peer ID is this side's own.
    static func of(_ id: MCPeerID) -> LocalPeer {
        guard let signer = id.signer else {
            preconditionFailure("the peer ID of another peer cannot be this side: \(id.displayName)")
        }
        return all.withLock { all in
            if let peer = all[signer.identityKey]?.peer { return peer }
            let peer = LocalPeer(LocalIdentity(signer: signer, name: id.wireName), isKept: id.isArchived, id.clock)
            all = all.filter { $0.value.peer != nil }
            all[signer.identityKey] = Entry(peer: peer)
            return peer
        }
    }

    private init(_ identity: LocalIdentity, isKept: Bool, _ clock: any SteadyClock) {
        self.clock = clock
        consents = Consents(clock)
        key = identity.peer.key
        let store = Result { () throws(PeerStoreError) -> PeerStore? in
            isKept ? PeerStore(directory: try PeerStore.ofUser().directory + "/connectivity/\(identity.peer.key)") : nil
        }
        self.store = (try? store.get()) ?? nil
        inbox =
            self.store.map { $0.directory + "/received" }
            ?? NSTemporaryDirectory() + "multipeer-" + UUID().uuidString
        starting = Task {
            do throws(PeerStoreError) {
                let store = try store.get()
                return await Result.catching { () async throws(PeerError) in
                    try await Peer.load(identity, rememberingIn: store, clock: clock)
                }
            } catch {
                return .failure(.store(error))
            }
        }
    }

    deinit {
        if store == nil { try? FileManager.default.removeItem(atPath: inbox) }
    }

    /// The running peer, once it runs.
    func start() async -> Result<Peer, PeerError> { await starting.value }

    /// A new folder for one resource that comes; the same one for all of an identity that is kept, so that what stopped halfway can go on.
    var inboxPath: String { inbox }
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
