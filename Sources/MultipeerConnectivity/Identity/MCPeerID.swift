public import Foundation
package import MultipeerClock
import MultipeerCrypto
import MultipeerSodium
import MultipeerStorage
import Synchronization

/// A peer: a name that people read, and a key that tells it from all others.
///
/// Each `MCPeerID(displayName:)` is a new identity, whatever its name is. To stay the same peer, keep it in an archive:
///
/// ```swift
/// let data = try NSKeyedArchiver.archivedData(withRootObject: me, requiringSecureCoding: true)
/// let same = try NSKeyedUnarchiver.unarchivedObject(ofClass: MCPeerID.self, from: data)
/// ```
///
/// - Important: The archive of an own peer ID holds its private key: whoever has it is this peer. Keep it where only its owner reads it.
///   What is told to others is ``publicCopy``, or `nearbyConnectionData`, which holds no secret.
///
/// Two are equal if their keys are. A peer that was found nearby shows a tag of its key, and its key when it is connected.
open class MCPeerID: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    // Unchecked, because a class that can be inherited from cannot be checked. What is below does not change, or is in a Mutex.

    /// What people read: 1–63 bytes of UTF-8. It proves nothing.
    public let displayName: String
    /// What others find it by.
    let tag: KeyTag
    /// The private key, if this is this side.
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
    /// - Parameter myDisplayName: What people read.
    /// - Precondition: The name is not empty, and has at most 63 bytes of UTF-8.
    public init(displayName myDisplayName: String) {
        precondition(!myDisplayName.isEmpty, "MCPeerID: the display name is empty")
        precondition(
            myDisplayName.utf8.count <= DisplayName.maximumLength,
            "MCPeerID: the display name has more than \(DisplayName.maximumLength) bytes of UTF-8")
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
            preconditionFailure("MCPeerID: no memory for a key (\(error))")
        }
    }

    // MARK: Who it is

    /// Whether this is this side: it has the private key.
    public var isLocal: Bool { signer != nil }

    /// The same peer without its private key, to be told to others.
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

    /// What the deadlines of this side are measured by.
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
        guard let key else { preconditionFailure("a name is told of this side alone, whose key is known") }
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
        static let publicKey = "multipeer.publicKey"
        static let tag = "multipeer.tag"
        static let seed = "multipeer.privateKey"
    }

    /// Writes name and key; of this side also the private key. From then on the peers that this side meets are remembered from run to
    /// run (``MCTrustPolicy/trustOnFirstUse``).
    open func encode(with coder: NSCoder) {
        coder.encode(1, forKey: Key.version)
        coder.encode(displayName as NSString, forKey: Key.name)
        coder.encode(tag.description as NSString, forKey: Key.tag)
        if let key { coder.encode(Data(key.rawBytes) as NSData, forKey: Key.publicKey) }
        guard let signer else { return }
        signer.withSeed { seed in
            var bytes = Data(capacity: seed.count)
            for index in 0..<seed.count { bytes.append(seed[index]) }
            coder.encode(bytes as NSData, forKey: Key.seed)
        }
        state.withLock { $0.isArchived = true }
    }

    /// Reads what ``encode(with:)`` has written; nil for anything else.
    public required init?(coder: NSCoder) {
        guard coder.containsValue(forKey: Key.version), coder.decodeInteger(forKey: Key.version) == 1,
            let name = coder.decodeObject(of: NSString.self, forKey: Key.name).map({ $0 as String }),
            (1...DisplayName.maximumLength).contains(name.utf8.count),
            let tag = coder.decodeObject(of: NSString.self, forKey: Key.tag).flatMap({ KeyTag($0 as String) })
        else { return nil }
        let key = Self.bytes(of: coder, Key.publicKey).flatMap { try? IdentityKey(rawBytes: $0) }
        var signer: SodiumIdentity?
        if var seed = Self.bytes(of: coder, Key.seed) {
            defer { for index in seed.indices { seed[index] = 0 } }
            signer = Self.signer(of: seed)
            guard let signer, signer.identityKey == key else { return nil }
        }
        if let key { guard Cryptography.tag(of: key) == tag else { return nil } }
        displayName = name
        self.tag = tag
        self.signer = signer
        state = Mutex(State(key: key, isArchived: signer != nil))
    }

    private static func bytes(of coder: NSCoder, _ key: String) -> [UInt8]? {
        // To decode a value that is not there is an error of the whole archive.
        guard coder.containsValue(forKey: key) else { return nil }
        return coder.decodeObject(of: NSData.self, forKey: key).map { Array($0 as Data) }
    }

    private static func signer(of seed: [UInt8]) -> SodiumIdentity? {
        let sodium = Cryptography.sodium
        return try? SodiumIdentity(seed: try sodium.secrets.makeSecret(copying: seed.span), provider: sodium)
    }
}
