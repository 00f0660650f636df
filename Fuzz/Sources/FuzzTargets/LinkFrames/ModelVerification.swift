import FuzzSupport
import MultipeerCore
import MultipeerCrypto
import MultipeerSodium

/// SPEC §25, as one peer of a link has it. Shares no code with the link.
///
/// The links of these targets draw the same bytes whenever they draw (``ConstantRandomness``), so that the model knows them, and their group is
/// ``InsecureGroup``.
struct ModelVerification {
    /// How far the only attempt of the link has come (§25.7).
    enum Attempt: Equatable {
        case none, over
        /// CODE_BEGIN is sent. What has crossed it, and is ignored.
        case begun(crossedBegin: Bool, crossedInvite: Bool)
        case confirming
        /// CODE_BEGIN came, and the app has not said with which code it answers. The first frame after it waits for
        /// that.
        case asked(number: UInt64, follower: ModelSent?)
        case answered
    }

    /// How far the exchange of strings has come (§25.6).
    enum Strings { case idle, asking, committed, commitmentCame, answered, done }

    /// Whether the local peer lists the feature.
    let isListed: Bool
    var isListedByPeer = false
    var attempt = Attempt.none
    var code: ModelCode?
    var strings = Strings.idle
    var wasAsked = false
    var commitment: [UInt8] = []

    var isShared: Bool { isListed && isListedByPeer }

    /// Whether the local person may say that it wants to compare.
    var mayCompare: Bool { strings == .idle || strings == .commitmentCame }

    static let codes = ["4-tulip-orbit", "4-acorn-orbit", "7-tulip-orbit"]
    static func isFrame(_ type: UInt64) -> Bool { (0x70...0x7C).contains(type) && type % 2 == 0 }
}

/// What is computed from a code (§25.5), by one peer.
struct ModelCode: Equatable {
    let text: String
    let isTypist: Bool
    let sid: [UInt8]
    /// The typist's identity key, then the presenter's.
    let keys: [UInt8]
    /// Both shares with what follows them: the typist's, then the presenter's.
    var messages: [[UInt8]] = [[], []]

    var number: UInt64 { UInt64(text.split(separator: "-")[0]) ?? 0 }

    private static func lv(_ bytes: [UInt8]) -> [UInt8] {
        (bytes.count < 128 ? [UInt8(bytes.count)] : [UInt8(bytes.count & 127 | 128), UInt8(bytes.count >> 7)]) + bytes
    }

    private static func sha512(_ bytes: [UInt8]) -> [UInt8] {
        do {
            let nothing: [UInt8] = []
            let secret = try FuzzCrypto.sodium.secrets.makeSecret(copying: bytes.span)
            return try FuzzCrypto.sodium.wideHashing.hash(nothing.span, secret, nothing.span).withBytes { digest in
                digest.indices.map { digest[$0] }
            }
        } catch { fatalError("\(error)") }
    }

    /// The element that the code stands for. In the real group it would be that of the hash.
    private var generator: [UInt8] {
        let password = Array(text.utf8)
        let channel = Array("multipeer/1 code channel".utf8) + [0] + keys
        var element = Array(
            Self.sha512(
                Self.lv(Array("CPaceRistretto255".utf8)) + Self.lv(password)
                    + Self.lv([UInt8](repeating: 0, count: 108 - password.count)) + Self.lv(channel) + Self.lv(sid)
            ).prefix(32))
        element[31] &= 0x7F
        return element
    }

    /// The share of a scalar.
    func share(_ scalar: [UInt8]) -> [UInt8] { Self.exclusiveOr(generator, scalar) }

    static func exclusiveOr(_ one: [UInt8], _ two: [UInt8]) -> [UInt8] { zip(one, two).map { $0 ^ $1 } }

    /// What the remote peer sent; nil for a share that is none (R25.5-2).
    mutating func receive(_ payload: [UInt8]) -> Bool {
        messages[isTypist ? 1 : 0] = payload
        let product = Self.exclusiveOr(Array(payload.prefix(32)), ConstantRandomness.scalar)
        return payload[31] & 0x80 == 0 && product.contains { $0 != 0 }
    }

    /// Both confirmations, the typist's first.
    var confirmations: [[UInt8]] {
        let theirs = Array(messages[isTypist ? 1 : 0].prefix(32))
        let product = Self.exclusiveOr(theirs, ConstantRandomness.scalar)
        let transcript = messages.flatMap { Self.lv(Array($0.prefix(32))) + Self.lv(Array($0.dropFirst(32))) }
        let key = Self.sha512(
            Self.lv(Array("CPaceRistretto255_ISK".utf8)) + Self.lv(sid) + Self.lv(product) + transcript)
        let confirmationKey = Self.sha512(Array("CPaceMac".utf8) + sid + key)
        return [0, 1].map { Self.authenticate([$0] + transcript, confirmationKey) }
    }

    /// HMAC-SHA-256 (RFC 2104), with a key of one block.
    private static func authenticate(_ bytes: [UInt8], _ key: [UInt8]) -> [UInt8] {
        ModelBinding.sha256(
            key.map { $0 ^ 0x5C } + ModelBinding.sha256(key.map { $0 ^ 0x36 } + bytes))
    }
}

/// Gives the same bytes whenever it is asked. INSECURE, and for fuzzing only.
struct ConstantRandomness: RandomSource {
    mutating func fill(_ bytes: inout MutableSpan<UInt8>) {
        for index in bytes.indices { bytes[index] = Self.byte(index) }
    }

    private static func byte(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: 0x51 + index) }
    static let nonce = (0..<32).map(byte)
    /// y: the four highest bits are cleared.
    static let scalar: [UInt8] = Array(nonce.dropLast()) + [nonce[31] & 0x0F]
}
