public import Foundation
package import MultipeerClock
import MultipeerCrypto
import MultipeerSodium
import MultipeerStorage
import Synchronization

/// A peer: a name that people read, and a key that distinguishes it from all others.
///
/// Each `MCPeerID(displayName:)` is a new identity, whatever its name is. To stay the same peer, keep it in an archive:
///
/// ```swift
/// let data = try NSKeyedArchiver.archivedData(withRootObject: me, requiringSecureCoding: true)
/// let same = try NSKeyedUnarchiver.unarchivedObject(ofClass: MCPeerID.self, from: data)
/// ```
///
/// An archive holds the name and what the peer is recognised by, and no secret. The private key of the local peer is in
/// the user's store (`connectivity/` in `$XDG_DATA_HOME/multipeer`, by default `~/.local/share/multipeer`) from then
/// on, where only its owner reads it: an archive is the local peer for programs of the same user, and another peer for
/// everybody else.
///
/// Two are equal if their keys are. A peer that was found nearby shows a tag of its key, and its key when it is connected.
open class MCPeerID: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    // Unchecked, because a class that can be inherited from cannot be checked. What is below does not change, or is in a Mutex.

    /// What people read: 1–63 bytes of UTF-8. It proves nothing.
    public let displayName: String
    /// What others find it by.
    let tag: KeyTag
    /// The private key, if this is the local peer.
    let signer: SodiumIdentity?
    private let state: Mutex<State>

    private struct State {
        /// Nil for a peer that was found, and was never connected.
        var key: IdentityKey?
        /// Whether the identity is kept in an archive, so that others may meet it again.
        var isArchived = false
        var clock: any SteadyClock = ContinuousClock()
    }

    /// Creates a new identity.
    /// - Parameter myDisplayName: What people read. An empty name is that of this computer: where Apple's systems have a name for it,
    ///   `Host.current().localizedName` has none on Linux.
    /// - Precondition: The name has at most 63 bytes of UTF-8.
    public init(displayName myDisplayName: String) {
        let myDisplayName = myDisplayName.isEmpty ? ComputerName.current : myDisplayName
        guard myDisplayName.utf8.count <= DisplayName.maximumLength else {
            AppArgument.stop(
                "MCPeerID: the display name has more than \(DisplayName.maximumLength) bytes of UTF-8. Shorten it")
        }
        let signer = Self.newSigner()
        displayName = myDisplayName
        self.signer = signer
        tag = Cryptography.tag(of: signer.identityKey)
        state = Mutex(State(key: signer.identityKey))
    }

    /// Creates a new identity for a test: its sessions, browsers and advertisers measure their deadlines by the test's clock.
    package convenience init(displayName myDisplayName: String, clock: any SteadyClock) {
        self.init(displayName: myDisplayName)
        state.withLock { $0.clock = clock }
    }

    /// A peer with a key, or one of which only the tag is known.
    init(_ name: String, key: IdentityKey?, tag: KeyTag, signer: SodiumIdentity? = nil, isArchived: Bool = false) {
        displayName = name
        self.tag = tag
        self.signer = signer
        state = Mutex(State(key: key, isArchived: isArchived))
    }

    /// Another peer, which has proved its key.
    convenience init(_ peer: PeerID) {
        self.init(peer.label.description, key: peer.key, tag: Cryptography.tag(of: peer.key))
    }

    private static func newSigner() -> SodiumIdentity {
        var random: any RandomSource = Cryptography.sodium.random
        do throws(CryptoFailure) {
            return try SodiumIdentity(random: &random, provider: Cryptography.sodium)
        } catch {
            AppArgument.stop("MCPeerID: no memory for a key (\(error))")
        }
    }

    // MARK: Identity

    /// Whether this is the local peer: it has the private key.
    public var isLocal: Bool { signer != nil }

    /// The same peer without its private key, to be sent to others.
    public var publicCopy: MCPeerID { isLocal ? MCPeerID(displayName, key: key, tag: tag) : self }

    /// The public key as 64 hexadecimal digits, for people to compare; nil before a peer that was found has proved it.
    public var publicKeyDescription: String? { key?.description }

    /// The public key, once it is known.
    var key: IdentityKey? { state.withLock { $0.key } }

    /// The peer has proved its key.
    func learn(_ key: IdentityKey) {
        guard Cryptography.tag(of: key) == tag else { return }
        state.withLock { $0.key = $0.key ?? key }
    }

    /// Whether a key that was proved is this peer's.
    func isThe(_ key: IdentityKey) -> Bool { self.key.map { $0 == key } ?? (Cryptography.tag(of: key) == tag) }

    /// Whether others may meet this identity in a later run.
    var isArchived: Bool { state.withLock { $0.isArchived } }

    /// The clock that measures local deadlines.
    var clock: any SteadyClock { state.withLock { $0.clock } }

    /// What is said to others: control characters and others that cannot be seen, which a name on the wire must not have, become spaces.
    /// Where nothing is left that can be seen, it is the digits of the key.
    var wireName: DisplayName {
        if let name = try? DisplayName(displayName) { return name }
        var shown = String.UnicodeScalarView()
        for scalar in displayName.unicodeScalars {
            shown.append((try? DisplayName(String(scalar))) == nil ? " " : scalar)
        }
        if let name = try? DisplayName(String(shown)) { return name }
        guard let key else { preconditionFailure("only the local peer needs such a name, and its key is known") }
        return PeerID(key: key, displayName: nil).label
    }

    // MARK: Equality

    /// Whether the keys are equal; of peers of which only the tags are known, whether these are.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? MCPeerID else { return false }
        if self === other { return true }
        guard let key, let theirs = other.key else { return tag == other.tag }
        return key == theirs
    }

    open override var hash: Int { tag.rawBytes.reduce(0) { $0 << 8 | Int($1) } }

    open override var description: String { displayName }

    /// Returns this object, which does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: Archives

    public static var supportsSecureCoding: Bool { true }

    private enum Key {
        static let version = "multipeer.version"
        static let name = "multipeer.displayName"
        static let tag = "multipeer.tag"
    }

    /// Writes the name and the tag of the key, which are the same before a peer that was found is connected, and then.
    /// The key of the local peer goes to the user's store, where later runs find it, and the peers that it meets are
    /// remembered from run to run (``MCTrustPolicy``).
    open func encode(with coder: NSCoder) {
        coder.encode(1, forKey: Key.version)
        coder.encode(displayName as NSString, forKey: Key.name)
        coder.encode(tag.description as NSString, forKey: Key.tag)
        guard let signer else { return }
        do throws(PeerStoreError) {
            try KeptIdentities.keep(signer, named: wireName)
            state.withLock { $0.isArchived = true }
        } catch {
            Notices.print("the key of \(displayName) is not kept, and the next run will be another peer: \(error)")
        }
        // Apps mostly put the archive there next.
        Defaults.saveSoon()
    }

    /// Reads what ``encode(with:)`` has written; nil for anything else. It is the local peer if the user's store has
    /// the key.
    public required init?(coder: NSCoder) {
        guard coder.containsValue(forKey: Key.version), coder.decodeInteger(forKey: Key.version) == 1,
            let name = coder.decodeObject(of: NSString.self, forKey: Key.name).map({ $0 as String }),
            (1...DisplayName.maximumLength).contains(name.utf8.count),
            let tag = coder.decodeObject(of: NSString.self, forKey: Key.tag).flatMap({ KeyTag($0 as String) })
        else { return nil }
        displayName = name
        self.tag = tag
        signer = KeptIdentities.find(tag)
        state = Mutex(State(key: signer?.identityKey, isArchived: signer != nil))
    }
}
