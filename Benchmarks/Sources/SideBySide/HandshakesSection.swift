import CReference
import MultipeerWire
import Workloads

/// Whole handshakes, from the first hello to an open link for both peers, against their primitives and against TLS 1.3.
struct HandshakesSection {
    let peers: Peers
    let effort: Effort

    func run(_ report: Report) throws -> [Budget] {
        report.title("Handshakes")
        report.paragraph(
            "Both sides, on one core, in memory: two `Link`s from hello to open. *Primitives* are the same operations "
                + "called from C, one after the other, with the same libraries. *TLS 1.3* is GnuTLS with X25519 and an "
                + "Ed25519 certificate on each side, both validated against the authority. Multipeer does what TLS "
                + "does and proves the identity keys as well: two signatures and two verifications more. *Seen before* "
                + "are the paths of peers that come back: GnuTLS has verified them already (decision 26). TLS verifies "
                + "them each time. Hybrid suites stand against the same primitives and the same TLS, which lack ML-KEM-768."
        )
        var rows: [[String]] = []
        var budgets: [Budget] = []
        for suite in Suite.allCases {
            for proof in ProofOfPeer.allCases {
                let (cells, cost, rate) = try handshake(suite, proof)
                rows.append(cells)
                // What they are measured against has no ML-KEM-768.
                if !suite.isHybrid { budgets += Self.budgets(suite, proof, cost: cost, rate: rate) }
            }
        }
        report.table(
            [
                "suite", "proof", "time ÷ primitives", "speed ÷ TLS 1.3", "handshakes/s", "handshake", "primitives",
                "TLS 1.3",
            ],
            rows)
        try parts(report)
        return budgets
    }

    /// What is asked of handshakes with validated paths.
    private static func budgets(_ suite: Suite, _ proof: ProofOfPeer, cost: Double, rate: Double) -> [Budget] {
        let againstPrimitives = Budget(
            what: "handshake with Ed25519 certificates, \(suite.name), against its primitives", asked: "≤ 1.25",
            found: cost.text(2), isKept: cost < 1.255)
        func againstTLS(_ what: String) -> Budget {
            Budget(
                what: "\(what) against GnuTLS's TLS 1.3, rate", asked: "≥ 1.3", found: rate.text(2),
                isKept: rate >= 1.295)
        }
        return switch proof {
        case .identityKeys, .certificates: []
        case .validatedPaths: [againstPrimitives, againstTLS("the same")]
        case .pathsSeenBefore: [againstTLS("the same, with paths seen before,")]
        }
    }

    private func handshake(
        _ suite: Suite, _ proof: ProofOfPeer
    ) throws -> (cells: [String], cost: Double, rate: Double) {
        let (peers, paths) = (peers, try peers.pathValidator(remembersPaths: proof == .pathsSeenBefore))
        let primitives = try Primitives(peers, suite: suite, proof: proof)
        let tls = try TLSReference(peers, suite: suite)
        let times = try compete(
            [
                Contestant(name: "handshake") { count in
                    for _ in 0..<count {
                        var pair = try LinkedPair(peers, suite: suite, proof: proof, paths: paths)
                        try pair.open()
                    }
                },
                Contestant(name: "primitives") { try primitives.run($0) },
                Contestant(name: "TLS 1.3") { try tls.runHandshakes($0) },
            ], effort)
        let cost = Summary(speedOf: times[1], against: times[0])
        let rate = Summary(speedOf: times[0], against: times[2])
        let ours = Summary(times[0]).median
        let cells =
            [
                suite.name, proof.name, cost.ratioText, rate.ratioText,
                (1e9 / ours).text(0),
            ] + times.map { Summary($0).median.nanosecondsText }
        return (cells, cost.median, rate.median)
    }

    /// What the sum is made of.
    private func parts(_ report: Report) throws {
        let primitives = try Primitives(peers, suite: .chaChaPoly, proof: .validatedPaths)
        let times = try compete(
            Primitives.parts.map { part in Contestant(name: part.name) { try primitives.run(part.part, $0) } }, effort)
        let medians = times.map { Summary($0).median }
        let sum = medians.reduce(0, +)
        report.paragraph("The sum of the primitives, ChaCha20-Poly1305, validated paths:")
        report.table(
            ["part", "time", "share"],
            zip(Primitives.parts, medians).map { part, median in
                [part.name, median.nanosecondsText, (100 * median / sum).text(0) + " %"]
            })
    }
}

extension ProofOfPeer {
    var name: String {
        switch self {
        case .identityKeys: "identity keys"
        case .certificates: "and certificates, accepted by the app"
        case .validatedPaths: "and certificates, paths validated"
        case .pathsSeenBefore: "and certificates, paths seen before"
        }
    }
}
