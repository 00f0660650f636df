import Foundation
import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerGnuTLS
import MultipeerScriptedPeer
import MultipeerTestSupport
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Certificates and binding, SPEC §10")
struct CertificateTests {
    static let roles: [LinkRole] = [.initiator, .responder]

    static func evidence(_ effects: [LinkEffect]) -> (LinkToken, PeerEvidence)? {
        for case .verify(let token, let evidence) in effects { return (token, evidence) }
        return nil
    }

    /// A pair whose peers show these, stopped where both apps are asked.
    static func asked(
        _ suite: Suite, _ initiator: LocalCertificate?, _ responder: LocalCertificate?,
        tamper: (TestPair) -> Void = { _ in }
    ) throws -> TestPair {
        let first = SessionTerms(encryption: .required, certificate: initiator)
        let pair = TestPair(
            try Peers.pair(
                suites: [suite], invitation: OutgoingInvitation(terms: first),
                initiatorScript: .init(terms: nil, verdict: nil),
                responderScript: .init(
                    terms: SessionTerms(encryption: .required, certificate: responder), verdict: nil)))
        tamper(pair)
        pair.pair.run()
        return pair
    }

    @Test(
        "Real chains of every kind of key, judged by the shipped validators", arguments: KeyKind.allCases,
        Suite.classical)
    func realChains(key: KeyKind, suite: Suite) async throws {
        let root = try OpenSSL.root.get()
        let (mine, theirs) = (try root.leaf(key), try root.leaf(.p256))
        let pair = try Self.asked(suite, mine, theirs)
        let one = try #require(Self.evidence(pair.effects(of: .initiator)))
        let other = try #require(Self.evidence(pair.effects(of: .responder)))
        #expect(one.1.chain == theirs.chain && other.1.chain == mine.chain)
        let keys = (try Peers.key(2), try Peers.key(1))
        #expect(one.1.peer.key == keys.0 && other.1.peer.key == keys.1)
        #expect(other.1.leafFingerprint == (try CertificateLoader.fingerprint(of: mine.chain.leaf)))
        let paths = try GnuTLSPathValidator(anchors: [root.anchor]) { Int64(Date().timeIntervalSince1970) }
        let pin = PinnedKeyValidator.Pin.leaf(try #require(other.1.leafFingerprint))
        let verdicts = (
            await TrustAnchorValidator(paths: paths).verify(one.1),
            await PinnedKeyValidator(pins: [pin]).verify(other.1)
        )
        guard case .accepted(.trustAnchor(let validity)) = verdicts.0 else {
            throw CertificateRejection.unknownAuthority
        }
        #expect(validity > .seconds(60) && verdicts.1 == .accepted(.pinnedKey))
        try pair.pair.initiator.link.submitVerdict(verdicts.0, for: one.0, at: pair.pair.now)
        try pair.pair.responder.link.submitVerdict(verdicts.1, for: other.0, at: pair.pair.now)
        pair.pair.run()
        #expect(
            pair.summaries.initiator?.trust == .trustAnchor(validFor: validity)
                && pair.summaries.responder?.trust == .pinnedKey)
        // Certificates are never readable (§2).
        #expect(!pair.sent(by: .initiator).contains(Array(mine.chain.leaf.der.prefix(64))))
    }

    @Test("Expired, foreign and missing certificates: the same reason for both peers", arguments: roles)
    func rejections(role: LinkRole) async throws {
        let root = try OpenSSL.root.get()
        let cases: [(LocalCertificate?, CertificateRejection, CloseCode)] = [
            (try root.leaf(.p256, isExpired: true), .expired, .certificateExpired),
            (try OpenSSL.otherRoot.get().leaf(.p256), .unknownAuthority, .unknownAuthority),
            (nil, .missing, .certificateRequired),
        ]
        for (shown, rejection, code) in cases {
            let good = try root.leaf(.ed25519)
            let pair = try Self.asked(.chaChaPoly, role == .initiator ? good : shown, role == .initiator ? shown : good)
            let (token, evidence) = try #require(Self.evidence(pair.effects(of: role)))
            let paths = try GnuTLSPathValidator(anchors: [root.anchor]) { Int64(Date().timeIntervalSince1970) }
            let verdict = await TrustAnchorValidator(paths: paths).verify(evidence)
            #expect(verdict == .rejected(rejection))
            if role == .initiator {
                try pair.pair.initiator.link.submitVerdict(verdict, for: token, at: pair.pair.now)
            } else {
                try pair.pair.responder.link.submitVerdict(verdict, for: token, at: pair.pair.now)
            }
            pair.pair.run()
            #expect(pair.failure(of: role) == LinkFailure(stage: .certificates, cause: .certificate(rejection)))
            #expect(pair.failure(of: role.peer) == LinkFailure(stage: .certificates, cause: .peerClosed(code)))
        }
    }

    /// A link whose invitee or inviter is honest, and that waits for the evil peer's X.509 chain.
    private static func awaiting(_ role: LinkRole, isInvitee: Bool, kind: IdentityKind = .x509) throws -> Duel {
        let duel = try Duels.at(isInvitee ? .identified : .inviting, honest: role)
        if isInvitee {
            try duel.evil.send(invite: duel.evil.invitation(kind: kind))
            try duel.exchange()
            let terms = SessionTerms(encryption: .optional)
            try duel.honest.link.accept(try #require(duel.invitationToken), with: terms, at: duel.now)
            try duel.exchange()
        } else {
            try duel.accept(.optional, kind: kind)
        }
        return duel
    }

    private static func chain(_ certificate: LocalCertificate) -> [[UInt8]] {
        certificate.chain.certificates.map(\.der)
    }

    /// CERTIFICATES with the honest signature, by SPEC §10.3 alone.
    private static func honestFrame(
        _ duel: Duel, _ certificate: LocalCertificate, isInvitee: Bool, signer: LinkRole? = nil,
        inviter: LinkRole? = nil,
        signing other: [[UInt8]]? = nil
    ) throws -> Certificates {
        let role = duel.evil.role
        let message = duel.evil.bindingMessage(
            of: signer?.stream, inviter: inviter?.stream ?? (isInvitee ? role : role.other),
            chain: other ?? chain(certificate))
        return Certificates(
            chain: chain(certificate), algorithm: certificate.signer.algorithm.rawValue,
            signature: try certificate.signer.sign(message.span))
    }

    @Test("The binding is that of SPEC §10.3, in all four positions", arguments: roles, [true, false])
    func bindingBytes(role: LinkRole, isInvitee: Bool) throws {
        let certificate = try OpenSSL.root.get().leaf(.ed25519)
        let duel = try Self.awaiting(role, isInvitee: isInvitee)
        try duel.evil.send(try Self.honestFrame(duel, certificate, isInvitee: isInvitee))
        try duel.exchange()
        #expect(Self.evidence(duel.effects)?.1.chain == certificate.chain)
        #expect(duel.stage == .certificates)
    }

    @Test("Only the right signature binds, R10.4-1", arguments: roles, [true, false])
    func wrongBindings(role: LinkRole, isInvitee: Bool) throws {
        let root = try OpenSSL.root.get()
        let (mine, other) = (try root.leaf(.p256), try root.leaf(.p256))
        let makers: [(String, CertificateRejection, (Duel) throws -> Certificates)] = [
            (
                "the receiver's role", .bindingInvalid,
                { try Self.honestFrame($0, mine, isInvitee: isInvitee, signer: role) }
            ),
            ("the other inviter", .bindingInvalid, { try Self.honestFrame($0, mine, isInvitee: !isInvitee) }),
            (
                "another chain signed", .bindingInvalid,
                { try Self.honestFrame($0, mine, isInvitee: isInvitee, signing: Self.chain(other)) }
            ),
            (
                "another chain shown", .bindingInvalid,
                {
                    let honest = try Self.honestFrame($0, mine, isInvitee: isInvitee)
                    return Certificates(
                        chain: Self.chain(other), algorithm: honest.algorithm, signature: honest.signature)
                }
            ),
            (
                "a certificate added", .bindingInvalid,
                {
                    let honest = try Self.honestFrame($0, mine, isInvitee: isInvitee)
                    return Certificates(
                        chain: Self.chain(mine) + Self.chain(other), algorithm: honest.algorithm,
                        signature: honest.signature)
                }
            ),
            ("algorithm of another key", .bindingInvalid, { try Self.change($0, mine, isInvitee, algorithm: 0x0807) }),
            ("unknown algorithm", .unsupportedKey, { try Self.change($0, mine, isInvitee, algorithm: 0x0401) }),
            ("algorithm 0", .unsupportedKey, { try Self.change($0, mine, isInvitee, algorithm: 0) }),
            ("no signature", .bindingInvalid, { try Self.change($0, mine, isInvitee, signature: []) }),
            ("rubbish for a leaf", .malformed, { try Self.change($0, mine, isInvitee, chain: [[1, 2, 3]]) }),
        ]
        for (name, rejection, make) in makers {
            let duel = try Self.awaiting(role, isInvitee: isInvitee)
            try duel.evil.send(try make(duel))
            try duel.exchange()
            #expect(duel.failure == LinkFailure(stage: .certificates, cause: .certificate(rejection)), "\(name)")
            #expect(duel.evil.closeCode == .bindingInvalid, "\(name)")
            #expect(Self.evidence(duel.effects) == nil, "the app is asked nothing: \(name)")
        }
    }

    private static func change(
        _ duel: Duel, _ certificate: LocalCertificate, _ isInvitee: Bool, algorithm: UInt16? = nil,
        signature: [UInt8]? = nil, chain: [[UInt8]]? = nil
    ) throws -> Certificates {
        let honest = try honestFrame(duel, certificate, isInvitee: isInvitee)
        return Certificates(
            chain: chain ?? honest.chain, algorithm: algorithm ?? honest.algorithm,
            signature: signature ?? honest.signature)
    }

    @Test("No bit of a binding signature can be changed", arguments: [KeyKind.ed25519, .p256])
    func signatureBits(key: KeyKind) throws {
        let certificate = try OpenSSL.root.get().leaf(key)
        let count = try Self.honestFrame(try Self.awaiting(.responder, isInvitee: true), certificate, isInvitee: true)
            .signature.count
        for index in 0..<min(count, 64) {
            let duel = try Self.awaiting(.responder, isInvitee: true)
            var signature = try Self.honestFrame(duel, certificate, isInvitee: true).signature
            guard index < signature.count else { continue }
            signature[index] ^= 1 << (index % 8)
            try duel.evil.send(try Self.change(duel, certificate, true, signature: signature))
            try duel.exchange()
            #expect(duel.cause == .certificate(.bindingInvalid), "\(key) byte \(index)")
        }
    }

    @Test("A peer cannot replay the remote peer's frame, R10.4-1")
    func replayedByOther() throws {
        let certificate = try OpenSSL.root.get().leaf(.ed25519)
        let duel = try Duels.at(.identified, honest: .responder)
        try duel.evil.send(invite: duel.evil.invitation(kind: .x509))
        try duel.exchange()
        let terms = SessionTerms(encryption: .optional, certificate: certificate)
        try duel.honest.link.accept(try #require(duel.invitationToken), with: terms, at: duel.now)
        try duel.exchange()
        let shown = try #require(duel.evil.payloads(of: .certificates).first)
        try Duels.poke(duel, WireBytes.frame(.certificates, shown))
        expectFailure(duel, .certificate(.bindingInvalid), at: .certificates, told: .bindingInvalid)
    }

    @Test("Kind and chain must agree and keep their limits, R10.2-1, R10.2-2", arguments: roles, [true, false])
    func kinds(role: LinkRole, isInvitee: Bool) throws {
        let der: [UInt8] = [0x30, 0x00]
        let cases: [(IdentityKind, Certificates, LinkFailureCause)] = [
            (.x509, .none, malformed(.lengthOutOfRange, .chain)),
            (.x509, Certificates(chain: [], algorithm: 0x0807, signature: [1]), malformed(.lengthOutOfRange, .chain)),
            (.none, Certificates(chain: [der], algorithm: 0, signature: []), malformed(.valueOutOfRange, .chain)),
            (.none, Certificates(chain: [], algorithm: 1, signature: []), malformed(.valueOutOfRange, .chain)),
            (.none, Certificates(chain: [], algorithm: 0, signature: [0]), malformed(.valueOutOfRange, .chain)),
            (
                .x509, Certificates(chain: Array(repeating: der, count: 9), algorithm: 0x0807, signature: []),
                malformed(.lengthOutOfRange, .chain)
            ),
            (
                .x509, Certificates(chain: [[]], algorithm: 0x0807, signature: []),
                malformed(.lengthOutOfRange, .certificate)
            ),
            (
                .x509, Certificates(chain: [[UInt8](repeating: 1, count: 16_385)], algorithm: 0x0807, signature: []),
                malformed(.lengthOutOfRange, .certificate)
            ),
            (
                .x509,
                Certificates(
                    chain: Array(repeating: [UInt8](repeating: 1, count: 12_289), count: 4), algorithm: 0x0807,
                    signature: []), malformed(.lengthOutOfRange, .chain)
            ),
            (
                .x509, Certificates(chain: [der], algorithm: 0x0807, signature: [UInt8](repeating: 1, count: 4_097)),
                malformed(.lengthOutOfRange, .signature)
            ),
        ]
        for (kind, frame, cause) in cases {
            let duel = try Self.awaiting(role, isInvitee: isInvitee, kind: kind)
            try duel.evil.send(frame)
            try duel.exchange()
            expectFailure(duel, cause, at: .certificates, told: .malformed)
            #expect(Self.evidence(duel.effects) == nil)
        }
    }

    @Test("A chain at the limits reaches the verifier")
    func chainAtLimits() throws {
        let duel = try Self.awaiting(.responder, isInvitee: true)
        let chain =
            [[UInt8](repeating: 1, count: 16_384), [UInt8](repeating: 1, count: 16_384)]
            + Array(repeating: [UInt8](repeating: 1, count: 2_730), count: 5) + [[UInt8](repeating: 1, count: 2_734)]
        #expect(chain.count == 8 && chain.reduce(0) { $0 + $1.count } == 49_152)
        try duel.evil.send(Certificates(chain: chain, algorithm: 0x0807, signature: []))
        try duel.exchange()
        expectFailure(duel, .certificate(.malformed), at: .certificates, told: .bindingInvalid)
    }
}
