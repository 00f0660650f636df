import Multipeer
import MultipeerCertificates
import MultipeerCommandLine
import MultipeerCore
import MultipeerCrypto
import MultipeerWire

/// Whether the local policy and the remote one can agree: as the options say, and as a real peer answers.
struct PolicyCheck: Check {
    private static let why = "No session opens unless the policies of both peers agree (SPEC.md, sections 10 and 11)."

    private static let unanswered = "What the peer wants is known only when it accepts."

    let policy: DoctorPolicy
    let contact: Task<PeerContact, Never>?

    var name: CheckName { .policy }
    var limit: Duration { .seconds(9) }

    func run() async -> CheckResult {
        do throws(CommandFailure) {
            let own = try policy.own()
            var seen = ["local: " + own.words.joined(separator: ", ")]
            var issues: [Issue] = []
            if let other = try policy.stated() {
                seen.append("remote: " + other.words.joined(separator: ", "))
                issues += PolicyComparison.issues(own: own, other: other)
            }
            if let contact {
                let (words, found) = Self.judge(await contact.value.end)
                seen.append(words)
                issues += found
            }
            return CheckResult(name, seen.joined(separator: "; "), issues)
        } catch {
            return CheckResult(name, "it cannot be read", [.problem(error, why: Self.why)])
        }
    }

    // MARK: What a real peer answers

    private static func judge(_ end: PeerContact.End) -> (seen: String, issues: [Issue]) {
        switch end {
        case .identified:
            ("the peer shows its own only in answer to an invitation (--invite)", [])
        case .opened(let summary): ("the peer's agrees: payload is \(summary.encryption.name), \(trust(summary))", [])
        case .unreachable: ("the peer was not reached", [])
        case .failed(let failure, let words): judge(failure, words)
        }
    }

    private static func trust(_ summary: LinkSummary) -> String {
        if summary.trust.isVerified { return "the peer is verified" }
        return summary.trust.isRemembered ? "the peer is remembered" : "the peer is not verified"
    }

    private static func judge(_ failure: LinkFailure, _ words: CommandFailure) -> (String, [Issue]) {
        switch failure.cause {
        case .incompatible(.encryptionPolicy(let local, let remote)):
            (
                "the peer says encryption \(remote.name)",
                PolicyComparison.encryption(own: local, other: remote).map { [$0] } ?? []
            )
        case .certificate: ("the peer's encryption agrees", [.problem(words, why: why)])
        // A peer whose app decides by what it wants itself asks it first, so that this says nothing of encryption either.
        case .invitation(.noAnswer):
            (
                "the peer's is not known, because nobody answered",
                [
                    .warning(
                        "the remote person did not answer the invitation in time", why: unanswered,
                        remedy:
                            "Have the person there answer within \(PeerProbe.patience.components.seconds) s, or use "
                            + "--accept all there meanwhile.")
                ]
            )
        case .invitation:
            (
                "the peer's is not known, because it did not accept",
                [.warning(words.reason, why: unanswered, remedy: words.remedy)]
            )
        case .peerClosed where failure.cause.isMatterOfPolicy:
            ("the peer's encryption agrees", [.problem(words, why: why)])
        default: ("the peer's is not known, because the link failed", [])
        }
    }
}
