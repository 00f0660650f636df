import Multipeer
import MultipeerCertificates
import MultipeerCommandLine
import MultipeerGnuTLS
import MultipeerSodium
import MultipeerStorage
import MultipeerTransfers

/// Whether the certificates that the options name are of use: the local one with its key, and the authorities.
struct CertificatesCheck: LocalCheck {
    /// A certificate that is good for fewer days should be renewed.
    static let soon: Int64 = 30
    private static let day: Int64 = 86_400

    let certificate: String?
    let key: String?
    /// A file with authorities.
    let trust: String?

    var name: CheckName { .certificates }

    func look() -> CheckResult {
        guard certificate != nil || trust != nil else {
            return .skipped(name, "none is given (--certificate and --key, --trust)")
        }
        let parts = [certificate.map(own), trust.map(authorities)].compactMap { $0 }
        return CheckResult(name, parts.map(\.seen).joined(separator: "; "), parts.flatMap(\.issues))
    }

    // MARK: The local certificate

    private func own(_ path: String) -> (seen: String, issues: [Issue]) {
        let place = SafeText.escape(path)
        let why = "Peers that ask for a certificate refuse this peer."
        let chain: [Certificate]
        do throws(CommandFailure) {
            chain = try CertificateInput.anchors(at: path)
        } catch {
            return (place, [.problem(error, why: why)])
        }
        var issues = keyIssues(path, why)
        var dates: [String] = []
        for (index, certificate) in chain.enumerated() {
            let what = index == 0 ? "the certificate \(place)" : "certificate number \(index + 1) of \(place)"
            guard let inspection = try? CertificateInspection(certificate, as: index == 0 ? .leaf : .intermediate)
            else {
                continue
            }
            if index == 0 { dates.append("valid until \(CalendarDate.text(inspection.notAfter))") }
            issues += Self.issues(
                inspection, what, now: SystemClock.wall(), why: why,
                renewal:
                    "multipeer certificate issue NAME --authority DIR --out DIR, or by the authority that issued it")
        }
        return (([place] + dates).joined(separator: ", "), issues)
    }

    /// What is wrong with the key, or with both together. What is wrong with the certificate alone is said before.
    private func keyIssues(_ path: String, _ why: String) -> [Issue] {
        guard let key else { return [] }
        do throws(CommandFailure) {
            let sodium = try Cryptography.start()
            _ = try CertificateInput.local(certificate: path, key: key, secrets: sodium.secrets)
            return []
        } catch {
            return [.problem(error, why: why)]
        }
    }

    // MARK: Authorities

    private func authorities(_ path: String) -> (seen: String, issues: [Issue]) {
        let place = SafeText.escape(path)
        let bundle: AnchorBundle
        do throws(CommandFailure) {
            bundle = try CertificateInput.bundle(at: path)
        } catch {
            return (place, [.problem(error, why: "No peer can be trusted by it.")])
        }
        let now = SystemClock.wall()
        let inspections = bundle.anchors.compactMap { try? CertificateInspection($0, as: .anchor) }
        let valid = inspections.filter { $0.rejection(at: now) == nil }
        let seen = "\(place): \(valid.count) of \(bundle.count) authorities can be trusted"
        var issues: [Issue] = []
        if let skipped = bundle.skipped.first {
            issues.append(
                .warning(
                    "number \(skipped.index + 1) of \(place) cannot be an authority: \(Self.own(skipped.rejection.reason))",
                    why: "It is skipped, and whatever it has issued is not trusted.",
                    remedy: "Have the authority made anew by the profile of SPEC.md, section 10.7, or leave it out."))
        }
        if valid.isEmpty {
            issues.append(
                .problem(
                    "no authority of \(place) is valid now", why: "Every peer is refused.",
                    remedy: "Give the authority's present certificate, and check the clock of this host."))
        } else if valid.count < inspections.count {
            issues.append(
                .warning(
                    "\(inspections.count - valid.count) authorities of \(place) have expired or are not valid yet",
                    why: "Peers with their certificates are refused.",
                    remedy: "Give their present certificates, and check the clock of this host."))
        }
        return (seen, issues)
    }

    // MARK: One certificate

    static func issues(
        _ inspection: CertificateInspection, _ what: String, now: Int64, why: String, renewal: String
    ) -> [Issue] {
        var issues: [Issue] = []
        if let rejection = inspection.rejection {
            issues.append(
                .problem(
                    "\(what) is not suitable: \(own(rejection.reason))", why: why,
                    remedy: "Have it made anew for a peer (docs/command-line.md): \(renewal)."))
        }
        switch inspection.rejection(at: now) {
        case .expired?:
            let ago = CalendarDate.length(now - inspection.notAfter)
            issues.append(
                .problem(
                    "\(what) has expired \(ago) ago, at \(CalendarDate.text(inspection.notAfter))", why: why,
                    remedy: "Have it renewed: \(renewal). If it should be valid, check the clock of this host."))
        case .notYetValid?:
            issues.append(
                .problem(
                    "\(what) is not valid before \(CalendarDate.text(inspection.notBefore))", why: why,
                    remedy: "Check the clock of this host, or wait."))
        default:
            guard inspection.notAfter - now < soon * day else { break }
            issues.append(
                .warning(
                    "\(what) expires in \(CalendarDate.length(inspection.notAfter - now))",
                    why: "From then on peers that ask for a certificate refuse this peer.",
                    remedy: "Have it renewed in time: \(renewal)."))
        }
        return issues
    }

    /// The words of a rejection, which speak of a peer, for a certificate of one's own.
    private static func own(_ reason: String) -> String {
        reason.replacing("its certificate, or an authority's,", with: "it").replacing("its certificate", with: "it")
    }
}
