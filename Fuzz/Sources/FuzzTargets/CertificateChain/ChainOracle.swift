import FuzzSupport
import MultipeerCertificates
import MultipeerGnuTLS

/// Verdicts on chains, against what the authority is known to have certified.
///
/// Nobody but the authority has its keys, so a chain is accepted if, and only if, its leaf is byte by byte a good one and
/// the authorities that it needs are there unchanged. What else is in the chain must not matter.
enum ChainOracle {
    static func judge(_ ders: [[UInt8]], _ setting: ChainSetting) throws {
        guard let chain = try chain(ders) else { return }
        try judge(chain, ders, setting)
        guard GenuineLeaf.byDER[ders[0]] != nil else { return }
        for number in 0..<2 { try judge(chain, ders, setting.neighbour(ders, number)) }
    }

    private static func judge(
        _ chain: UnverifiedCertificateChain, _ ders: [[UInt8]], _ setting: ChainSetting
    ) throws {
        let root = Certificate(der: Fixtures.authority["root"] ?? [])
        let validator = try GnuTLSPathValidator(anchors: [root]) { setting.time }
        let leaf = GenuineLeaf.byDER[ders[0]]
        do {
            let path = try validator.validate(chain, requirements: setting.requirements).path.map(\.der)
            guard let leaf, setting.accepts(leaf) else {
                throw OracleFailure("accepted, though nobody certified this leaf so: \(leaf?.name ?? "unknown")")
            }
            let genuine = ([leaf.name] + leaf.authorities + ["root"]).map { Fixtures.authority[$0] ?? [] }
            try require(path == genuine, "accepted with other authorities than those of \(leaf.name)")
            try require(ders.contains(genuine), "accepted without the authorities of \(leaf.name)")
            // Now that GnuTLS has verified it.
            let again = try validator.validate(chain, requirements: setting.requirements).path.map(\.der)
            try requireEqual(again, path, "the path when it is validated again")
        } catch let rejection as CertificateRejection {
            try require(isOfChain(rejection), "a path is refused for \(rejection)")
            if let leaf { try check(rejection, leaf, ders, setting) }
        }
    }

    /// The chain, or nil when it is over a limit of SPEC §10.2.
    private static func chain(_ ders: [[UInt8]]) throws(OracleFailure) -> UnverifiedCertificateChain? {
        let isInLimits =
            (1...8).contains(ders.count) && ders.allSatisfy { (1...16_384).contains($0.count) }
            && ders.reduce(0) { $0 + $1.count } <= 49_152
        do {
            let chain = try UnverifiedCertificateChain(ders.map(Certificate.init(der:)))
            try require(isInLimits, "a chain over the limits: \(ders.map(\.count))")
            try requireEqual(chain.certificates.map(\.der), ders, "the certificates of a chain")
            return chain
        } catch let error as CertificateChainError {
            try require(!isInLimits, "a chain within the limits is refused: \(error), \(ders.map(\.count))")
            return nil
        } catch let failure as OracleFailure {
            throw failure
        } catch {
            throw OracleFailure("an error of another type: \(error)")
        }
    }

    private static func check(
        _ rejection: CertificateRejection, _ leaf: GenuineLeaf, _ ders: [[UInt8]], _ setting: ChainSetting
    ) throws(OracleFailure) {
        let needed = leaf.authorities.map { Fixtures.authority[$0] ?? [] }
        let others = ders.dropFirst()
        guard needed.allSatisfy(others.contains) else { return }
        // A search over many forged authorities of one name may end before the genuine ones; two are no such search.
        let forged = others.count { der in !Fixtures.authority.values.contains(der) }
        try require(
            !setting.accepts(leaf) || forged > 2, "\(leaf.name) is refused with all that it needs: \(rejection)")
        guard let expected = leaf.rejection, setting.isLenient, others.count == needed.count else { return }
        try requireEqual(rejection, expected, "why \(leaf.name) is refused")
    }

    /// What judging a path can find. The rest of the reasons are those of other judges.
    private static func isOfChain(_ rejection: CertificateRejection) -> Bool {
        switch rejection {
        case .missing, .bindingInvalid, .pinMismatch, .identityChanged, .similarName, .addressChanged,
            .tooManyFirstUses, .refusedByApplication, .storeUnavailable, .storeFull, .verdictTimeout:
            false
        default: true
        }
    }
}

extension [[UInt8]] {
    /// Whether the first and all but the last of a path are among these.
    fileprivate func contains(_ path: [[UInt8]]) -> Bool {
        first == path.first && path.dropLast().allSatisfy { certificate in contains { $0 == certificate } }
    }
}
