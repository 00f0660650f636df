internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerScriptedPeer
internal import MultipeerSodium
internal import MultipeerWire

/// Members of one session with fixed keys, and what they sign: SPEC §14.
struct Community {
    let samples: Samples
    let founder: Member
    /// The whole structure.
    let charter: [UInt8]
    let session: [UInt8]

    /// Somebody with a key.
    struct Member {
        let seed: [UInt8]
        let key: [UInt8]
    }

    /// A session whose founder has the seed `label`.
    /// - Parameter nonce: The seed of its nonce: a founder has many sessions.
    init(
        samples: Samples, founder label: String = "founder of a session", nonce: String = "session of many",
        parameters: [UInt8] = []
    ) throws {
        self.samples = samples
        let seed = samples.bytes32(label)
        founder = Member(seed: seed, key: try samples.identityKey(seed: seed))
        charter = WireBytes.charter(
            founder: founder.key, nonce: samples.bytes32(nonce), parameters: parameters)
        session = samples.crypto.sha256(Array("multipeer/1 session".utf8) + [0] + charter)
    }

    /// The session of this charter.
    init(samples: Samples, founder: Member, charter: [UInt8]) {
        self.samples = samples
        self.founder = founder
        self.charter = charter
        session = samples.crypto.sha256(Array("multipeer/1 session".utf8) + [0] + charter)
    }

    func member(_ label: String) throws -> Member {
        let seed = samples.bytes32("member \(label)")
        return Member(seed: seed, key: try samples.identityKey(seed: seed))
    }

    func sign(_ message: [UInt8], _ seed: [UInt8]) throws -> [UInt8] {
        try samples.crypto.identity(seed: seed).sign(message.span)
    }

    /// A message that a member signs: a label and the session come before its content.
    func signed(_ label: String, _ content: [UInt8], session: [UInt8]? = nil, zero: [UInt8] = [0]) -> [UInt8] {
        Array("multipeer/1 \(label)".utf8) + zero + (session ?? self.session) + content
    }

    /// One admission, of whatever is right or wrong.
    func admission(of key: [UInt8], by admitter: Member, label: String = "admission", session: [UInt8]? = nil) throws
        -> [UInt8]
    { admitter.key + (try sign(signed(label, key, session: session), admitter.seed)) }

    /// A chain for a member. `admitters` are those between it and the founder, its own first; the founder comes last.
    func chain(of key: [UInt8], _ admitters: [Member]) throws -> [UInt8] {
        var (chain, admitted): ([UInt8], [UInt8]) = ([], key)
        for admitter in admitters + [founder] {
            chain += try admission(of: admitted, by: admitter)
            admitted = admitter.key
        }
        return chain
    }

    /// What an entry has.
    struct Content {
        var instance: UInt64 = 1_795_000_000_000
        var sequence: UInt64 = 0
        var presence: UInt8 = 1
        var name: [UInt8] = Array("Anna".utf8)
        var addresses: [UInt8] = []
        var chain: [UInt8] = []
        var fields: [UInt8] = []

        /// All bytes before the signature.
        func bytes(_ key: [UInt8]) -> [UInt8] {
            key + WireBytes.varint(instance) + WireBytes.varint(sequence) + [presence] + WireBytes.vector(name)
                + WireBytes.vector(addresses) + WireBytes.vector(chain) + WireBytes.vector(fields)
        }
    }

    /// A whole entry.
    func entry(_ member: Member, _ content: Content, session: [UInt8]? = nil) throws -> [UInt8] {
        let bytes = content.bytes(member.key)
        return bytes + (try sign(signed("roster entry", bytes, session: session), member.seed))
    }
}
