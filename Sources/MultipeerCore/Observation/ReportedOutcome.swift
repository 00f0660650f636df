public import MultipeerWire

/// How vectors and testers name the end of a link: a name of SPEC §18 and its layer.
@_spi(Observation)
public struct ReportedOutcome: Hashable, Sendable {
    public let code: String
    public let layer: String

    /// The layers of SPEC §18, by name.
    public static let layers: [String: String] = [
        "no_error": "closing", "malformed": "wire", "unexpected_record": "wire", "unexpected_frame": "wire",
        "unsupported": "wire", "limit_exceeded": "wire", "decrypt_failed": "protection",
        "wrong_protection": "protection", "illegal_choice": "handshake", "handshake_failed": "handshake",
        "proof_invalid": "handshake", "unexpected_identity": "handshake", "own_identity": "handshake",
        "handshake_timeout": "handshake", "invitation_timeout": "invitation", "policy_violation": "invitation",
        "certificate_required": "certificates", "certificate_rejected": "certificates",
        "certificate_expired": "certificates", "unknown_authority": "certificates",
        "binding_invalid": "certificates", "verdict_timeout": "certificates", "shutting_down": "closing",
        "duplicate_link": "invitation", "internal": "any", "moved": "closing", "truncated": "closing",
        "credit_exceeded": "association", "silent": "association", "entry_invalid": "session",
        "code_wrong": "certificates", "code_unavailable": "certificates", "commitment_invalid": "certificates",
        "strings_differ": "certificates",
        "refused": "handshake",
        "declined": "invitation", "policy_conflict": "invitation", "timed_out": "any", "unknown": "any",
    ]

    /// A name of SPEC §18, or `unknown`.
    public init(_ code: String) {
        self.code = Self.layers[code] == nil ? "unknown" : code
        layer = Self.layers[code] ?? "any"
    }

    /// The name of a code on the wire.
    public init(_ code: CloseCode) { self.init(code.name) }

    /// What a failure is called.
    public init(_ failure: LinkFailure) {
        switch failure.cause {
        case .truncated: self.init("truncated")
        case .peerClosed(let code): self.init(code)
        case .invitation(.noAnswer): self.init("timed_out")
        case .invitation: self.init("declined")
        case .incompatible(.encryptionPolicy): self.init("policy_conflict")
        case .incompatible(.noCommonVersion), .incompatible(.noCommonSuite), .incompatible(.refused):
            self.init("refused")
        case .violation(.illegalChoice): self.init("illegal_choice")
        case .violation(.handshakeFailed): self.init("handshake_failed")
        case .timedOut where failure.stage == .closing || failure.stage == .closed: self.init("timed_out")
        case .malformed, .violation, .incompatible, .certificate, .verification, .timedOut, .silent, .crypto, .limit:
            self.init(failure.closeCode ?? .internalError)
        }
    }
}
