import CReference
import Glibc
import MultipeerCertificates
import MultipeerWire

extension Suite {
    /// The same cipher for the functions of `CReference`.
    public var reference: reference_suite {
        switch self {
        case .chaChaPoly, .hybridChaChaPoly: REFERENCE_CHACHA20_POLY1305
        case .aesGCM, .hybridAESGCM: REFERENCE_AES_256_GCM
        }
    }
}

/// The bare AEAD, called from C in a loop that is in C as well.
public final class RawAEAD {
    private let aead: OpaquePointer
    private var source: [UInt8]
    private var wire: [UInt8]
    private var plain: [UInt8]

    /// For payloads of `length` bytes, in one call however many they are.
    public init(suite: Suite, length: Int) throws {
        guard let aead = raw_aead_create(suite.reference, [UInt8](repeating: 9, count: 32)) else {
            throw WorkloadFailure.reference(-1)
        }
        self.aead = aead
        source = [UInt8](repeating: 7, count: length)
        wire = [UInt8](repeating: 7, count: length + 19)
        plain = [UInt8](repeating: 0, count: length)
    }

    deinit { raw_aead_free(aead) }

    /// Seals in place, opens to a second buffer: as a record does.
    public func runInPlace(_ count: Int) throws {
        try check(raw_aead_in_place(aead, &wire, plain.count, &plain, UInt64(count)))
    }

    /// Seals from one buffer to a second, opens to a third: as a message travels.
    public func runAcross(_ count: Int) throws {
        try check(raw_aead_across(aead, source, &wire, plain.count, &plain, UInt64(count)))
    }
}

/// GnuTLS's TLS 1.3 between two sessions of this process.
public final class TLSReference {
    private let client: OpaquePointer
    private let server: OpaquePointer
    private let suite: Suite

    /// The same certificates that the peers have.
    public init(_ peers: Peers, suite: Suite) throws {
        client = try Self.identity(peers, 0)
        server = try Self.identity(peers, 1)
        self.suite = suite
    }

    deinit {
        tls_identity_free(client)
        tls_identity_free(server)
    }

    private static func identity(_ peers: Peers, _ index: Int) throws -> OpaquePointer {
        let side = peers.sides[index]
        let anchor = PEM.encode([peers.authority])
        let identity = tls_identity_create(
            side.certificatePEM.map { CChar(bitPattern: $0) }, side.certificatePEM.count,
            side.keyPEM.map { CChar(bitPattern: $0) }, side.keyPEM.count,
            anchor.map { CChar(bitPattern: $0) }, anchor.count)
        guard let identity else { throw WorkloadFailure.reference(-1) }
        return identity
    }

    /// Whole handshakes, one after the other.
    public func runHandshakes(_ count: Int) throws {
        for _ in 0..<count { _ = try Connection(self) }
    }

    /// Two sessions that are open.
    public final class Connection {
        private let pair: OpaquePointer

        public init(_ reference: TLSReference) throws {
            let pair = tls_pair_handshake(reference.suite.reference, reference.client, reference.server)
            guard let pair else { throw WorkloadFailure.reference(-1) }
            self.pair = pair
        }

        deinit { tls_pair_free(pair) }

        /// What was negotiated.
        public var description: String {
            guard let text = tls_pair_description(pair) else { return "?" }
            defer { free(text) }
            return String(cString: text)
        }

        /// Sends payloads from `source`, and receives each whole into `sink`, which is as long.
        public func transfer(_ source: [UInt8], into sink: inout [UInt8], _ count: Int) throws {
            guard sink.count == source.count else { throw WorkloadFailure.wrongResult }
            try check(tls_pair_transfer(pair, source, source.count, &sink, UInt64(count)))
        }

        /// Records of the last payload.
        public var recordsPerPayload: Int { tls_pair_records_per_payload(pair) }
    }
}

/// Payload over a bare loopback connection between two threads, with the bare AEAD or without.
public final class TCPReference {
    private let pair: OpaquePointer

    public init(suite: Suite?, length: Int) throws {
        guard let pair = tcp_pair_create(suite.map { Int32($0.reference.rawValue) } ?? 0, length) else {
            throw WorkloadFailure.reference(-1)
        }
        self.pair = pair
    }

    deinit { tcp_pair_free(pair) }

    public func run(_ count: Int) throws { try check(tcp_pair_transfer(pair, UInt64(count))) }
}

/// The primitives of a handshake, without the protocol.
public final class Primitives {
    /// The parts of the sum.
    public static let parts: [(name: String, part: primitive_part)] = [
        ("2 × X25519 key generation (libsodium)", PRIMITIVE_KEY_GENERATION),
        ("2 × X25519 agreement (libsodium)", PRIMITIVE_AGREEMENT),
        ("SHA-256 and HKDF (libsodium)", PRIMITIVE_HASHING),
        ("2 × identity proof: Ed25519 sign, verify (libsodium)", PRIMITIVE_PROOFS),
        ("2 × binding: Ed25519 sign, verify (libsodium)", PRIMITIVE_BINDINGS),
        ("2 × path: parse leaf, verify against a parsed anchor (GnuTLS)", PRIMITIVE_PATHS),
        ("AEAD keys and all small records", PRIMITIVE_SMALL_RECORDS),
    ]

    private let primitives: OpaquePointer

    /// The plan comes from a real handshake, which this runs.
    public init(_ peers: Peers, suite: Suite, proof: ProofOfPeer) throws {
        let certificate = peers.sides[0].certificate.chain.leaf.der
        let hasCertificates = proof != .identityKeys
        let count = try Self.records(peers, suite: suite, proof: proof)
        let plan = primitive_plan(
            suite: suite.reference, prologue_length: 22 + 52 + 64,
            transcript_length: 96 + 1 + 32 + 6, chain_length: certificate.count + 2, record_count: count.count,
            record_length: count.bytes, has_certificates: hasCertificates ? 1 : 0,
            validates_paths: proof == .validatedPaths ? 1 : 0)
        let primitives = primitives_create(
            plan, certificate, certificate.count, peers.authority.der, peers.authority.der.count)
        guard let primitives else { throw WorkloadFailure.reference(-1) }
        self.primitives = primitives
    }

    deinit { primitives_free(primitives) }

    private static func records(_ peers: Peers, suite: Suite, proof: ProofOfPeer) throws -> (count: Int, bytes: Int) {
        var pair = try LinkedPair(peers, suite: suite, proof: proof, paths: try peers.pathValidator(), traces: true)
        try pair.open()
        return pair.records
    }

    public func run(_ count: Int) throws { try check(primitives_run(primitives, UInt64(count))) }

    public func run(_ part: primitive_part, _ count: Int) throws {
        try check(primitives_run_part(primitives, part, UInt64(count)))
    }
}

private func check(_ status: Int32) throws {
    guard status == 0 else { throw WorkloadFailure.reference(status) }
}
