import MultipeerCertificates
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerWire

/// Certificates and binding.
enum Section10 {
    static let cases: [ConformanceCase] = forms + bindings + ready + places

    // MARK: Form

    /// Sends a frame in place of CERTIFICATES, after having announced a certificate or none.
    private static func shows(
        _ id: String, _ title: String, _ requirements: String, _ code: CloseCode,
        certificate: SignatureAlgorithm? = nil,
        _ frame: @escaping @Sendable (Play) throws(Interruption) -> [UInt8]
    ) -> ConformanceCase {
        ConformanceCase(
            id, title, requirements, expects: "CLOSE \(FrameText.name(code)), no READY, then the end of the stream"
        ) { (play: Play) throws(Interruption) -> Evidence in
            if let certificate { try play.show(certificate) }
            try play.reach(.agreed)
            play.peer.behavior.sentCertificates = true
            try play.peer.send(try frame(play))
            return try play.expectClose(code, forbidding: [.ready])
        }
    }

    /// Announces a certificate and sends none, or sends one that it did not announce.
    private static func shows(
        _ id: String, _ title: String, certificate: SignatureAlgorithm? = nil, _ frame: [UInt8]
    ) -> ConformanceCase {
        shows(id, title, "R10.2-2", .malformed, certificate: certificate) { _ in frame }
    }

    /// Shows a certificate with something wrong about it or about its signature.
    private static func binds(
        _ id: String, _ title: String, _ requirements: String = "R10.4-1", _ code: CloseCode = .bindingInvalid,
        forPeersRole: Bool = false, hash: [UInt8]? = nil,
        _ change: @escaping @Sendable (inout Binding) -> Void = { _ in }
    ) -> ConformanceCase {
        shows(id, title, requirements, code, certificate: .ed25519) { (play) throws(Interruption) in
            var binding = try play.binding(of: forPeersRole ? play.role.other : nil, hash: hash)
            change(&binding)
            return binding.frame
        }
    }

    private static let forms: [ConformanceCase] = [
        shows(
            "10.2-chain-unannounced", "A chain where identityKind was 0",
            WireBytes.certificates(chain: [[0x30, 0]], algorithm: 0x0807, signature: [UInt8](repeating: 1, count: 64))),
        shows(
            "10.2-algorithm-unannounced", "An algorithm without a chain",
            WireBytes.certificates(algorithm: 0x0807)),
        shows(
            "10.2-signature-unannounced", "A signature without a chain",
            WireBytes.certificates(signature: [UInt8](repeating: 1, count: 64))),
        shows(
            "10.2-chain-missing", "No chain where identityKind was 1", certificate: .ed25519,
            WireBytes.certificates()),
        binds("10.2-nine-certificates", "Nine certificates", "R10.2-1", .malformed) {
            $0.chain = [[UInt8]](repeating: $0.chain[0], count: 9)
        },
        binds("10.2-too-large", "Certificates of 49,153 bytes in all", "R10.2-1", .malformed) {
            let rest = 49_153 - $0.chain[0].count
            $0.chain += [16_384, 16_384, rest - 32_768].map { [UInt8](repeating: 0x30, count: $0) }
        },
        binds("10.2-certificate-too-large", "A certificate of 16,385 bytes", "R3.3-1", .malformed) {
            $0.chain.append([UInt8](repeating: 0x30, count: 16_385))
        },
        binds("10.2-empty-certificate", "A certificate of no bytes", "R3.3-1", .malformed) { $0.chain.append([]) },
    ]

    // MARK: Binding

    private static func opens(_ algorithm: SignatureAlgorithm, _ topic: String, _ title: String) -> ConformanceCase {
        ConformanceCase(
            "10.3-binding-\(topic)", "A certificate with \(title), bound as §10.3 says", "R10.4-1 R10.2-2",
            expects: "READY, and a session"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.show(algorithm)
            try play.reach(.agreed)
            let came = try play.mustReach(.open)
            return came.and(try play.expectAlive())
        }
    }

    private static let bindings: [ConformanceCase] = [
        opens(.ed25519, "ed25519", "an Ed25519 key"),
        opens(.ecdsaP256SHA256, "p256", "an EC P-256 key"),
        opens(.ecdsaP384SHA384, "p384", "an EC P-384 key"),
        opens(.rsaPSSSHA256, "rsa", "an RSA key"),
        binds("10.4-flipped-signature", "A flipped bit of the binding signature") { $0.signature[40] ^= 4 },
        binds("10.4-other-role", "A binding signature for the peer's role", forPeersRole: true),
        binds("10.4-other-link", "A binding signature of another link", hash: [UInt8](repeating: 3, count: 32)),
        shows(
            "10.4-other-invitation", "A binding signature over another INVITE and ACCEPT", "R10.4-1", .bindingInvalid,
            certificate: .ed25519
        ) { (play) throws(Interruption) in
            play.peer.invite[3] ^= 1
            return try play.binding().frame
        },
        binds("10.4-other-chain", "A chain that the binding signature does not cover") { $0.chain += $0.chain },
        binds("10.4-unknown-algorithm", "An algorithm that nobody knows") { $0.algorithm = 0xFF01 },
        binds("10.4-unfit-algorithm", "An algorithm that does not fit the key") { $0.algorithm = 0x0403 },
        binds("10.4-no-certificate", "A leaf that is no certificate") { $0.chain = [Array("not a certificate".utf8)] },
        ConformanceCase(
            "10.3-own-binding", "The peer's own certificate", "R10.4-1", expects: "a signature of §10.3 that verifies"
        ) { (play: Play) throws(Interruption) -> Evidence in try play.expectOwnBinding() },
    ]

    // MARK: READY

    private static let ready: [ConformanceCase] = [
        ConformanceCase(
            "10.5-ready-unasked", "CERTIFICATES do not come", "R10.5-1",
            expects: "no READY; the tester's CLOSE is answered by CLOSE no_error"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.agreed)
            try play.peer.send(WireBytes.odd)
            return try play.expectClose(.noError, forbidding: [.ready])
        }
    ]

    // MARK: Frames in the wrong place

    private static let places: [ConformanceCase] = [
        ConformanceCase(
            "10.5-message-with-ready", "CERTIFICATES, READY and MESSAGE in one record, before the peer's READY",
            "R10.5-3",
            expects: "CLOSE unexpected_frame, then the end of the stream"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.agreed)
            play.peer.behavior.sentCertificates = true
            play.peer.behavior.sentReady = true
            try play.peer.send(try play.certificates() + WireBytes.ready + WireBytes.message([1]))
            try play.peer.send(WireBytes.close())
            let frame = try play.nextFrame(awaiting: "CLOSE unexpected_frame")
            // A peer whose app judges at once has sent READY before it looks at the next frame.
            if frame.known == .ready { throw .skipped("the peer's app gives its verdict within the record") }
            guard frame.known == .close, (try? Close(payload: frame.payload.span).code) == .unexpectedFrame else {
                throw .failed("\(frame.text) came in place of CLOSE unexpected_frame")
            }
            return try play.expectEnd(after: "CLOSE unexpected_frame")
        }
    ]
}

extension Play {
    /// The peer's CERTIFICATES hold a chain whose leaf signed this link.
    func expectOwnBinding() throws(Interruption) -> Evidence {
        try reach(.identified)
        if profile.invitations == .accepts {
            try sendInvite()
            let accept = try awaitAccept()
            guard accept.identityKind == .x509 else { throw .skipped("the peer shows no certificate") }
        } else {
            let invite = try awaitInvite()
            guard invite.identityKind == .x509 else { throw .skipped("the peer shows no certificate") }
            try sendAccept()
        }
        let frame = try take(.certificates)
        guard let shown = try? Certificates(payload: frame.payload.span),
            let chain = try? UnverifiedCertificateChain(shown.chain.map(Certificate.init(der:))),
            let algorithm = SignatureAlgorithm(rawValue: shown.algorithm)
        else { throw .failed("the peer's CERTIFICATES hold no chain, or an unknown algorithm") }
        let message = peer.script.bindingMessage(of: role.other, chain: shown.chain)
        guard
            (try? cryptography.bindingVerifier.verifyBinding(
                shown.signature.span, algorithm: algorithm, over: message.span, by: chain)) != nil
        else { throw .failed("the peer's binding signature does not verify") }
        return Evidence("a binding signature that verifies")
    }
}
