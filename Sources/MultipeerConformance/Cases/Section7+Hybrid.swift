import MultipeerScriptedPeer
import MultipeerWire

/// Hybrid suites, for peers that have one.
extension Section7 {
    static let hybrid: [ConformanceCase] = agreed + badShares + badCiphertexts

    private static let suites: [UInt16] = [0x0003, 0x0004]

    private static let agreed: [ConformanceCase] = suites.map { suite in
        ConformanceCase(
            "7.6-suite-\(suite)", "Suite \(FrameText.list([suite])) alone", "R7.6-1 R7.6-4",
            expects: "the suite is chosen, with a ciphertext, and a session opens"
        ) { (play: Play) throws(Interruption) -> Evidence in
            if play.role == .initiator {
                try play.requireHybrid([suite])
                play.terms.offer = ScriptedPeer.Offer(suites: [suite])
            } else {
                guard let known = Suite(rawValue: suite) else { throw .skipped("nobody knows the suite") }
                play.terms.suite = known
            }
            let came = try play.mustReach(.open)
            return came.and(try play.expectAlive())
        }
    }

    // MARK: Encapsulation keys

    private static func badShare(
        _ id: String, _ title: String, _ requirements: String, _ offer: ScriptedPeer.Offer
    ) -> ConformanceCase {
        .badHello(id, title, requirements, offer) { (play) throws(Interruption) in try play.requireHybrid(suites) }
    }

    private static let badShares: [ConformanceCase] = [
        badShare(
            "7.6-no-key", "A hybrid suite is offered without an encapsulation key", "R7.6-2",
            .init(suites: suites + [1], share: .some(nil))),
        badShare(
            "7.6-unasked-key", "An encapsulation key, and no hybrid suite", "R7.6-2",
            .init(suites: [1], share: [UInt8](repeating: 0, count: HybridShare.encapsulationKeyLength))),
        badShare(
            "7.6-short-key", "An encapsulation key of 1,183 bytes", "R7.6-2",
            .init(suites: suites, share: [UInt8](repeating: 0, count: HybridShare.encapsulationKeyLength - 1))),
        badShare(
            "7.6-long-key", "An encapsulation key of 1,185 bytes", "R7.6-2",
            .init(suites: suites, share: [UInt8](repeating: 0, count: HybridShare.encapsulationKeyLength + 1))),
        badShare(
            "7.6-unreduced-key", "An encapsulation key with numbers of 3,329 and more", "R7.6-3",
            .init(suites: suites, share: [UInt8](repeating: 0xFF, count: HybridShare.encapsulationKeyLength))),
    ]

    // MARK: Ciphertexts

    private static func badCiphertext(
        _ id: String, _ title: String, _ requirements: String, suite: UInt16? = nil, _ share: [UInt8]?
    ) -> ConformanceCase {
        .badAnswer(id, title, requirements) { (offer) throws(Interruption) in
            guard let hybrid = suites.first(where: offer.suites.contains) else {
                throw .skipped("the peer offers no hybrid suite")
            }
            return ScriptedPeer.Answer(suite: suite ?? hybrid, share: .some(share))
        }
    }

    private static let badCiphertexts: [ConformanceCase] = [
        badCiphertext("7.6-no-ciphertext", "A hybrid suite is chosen, without a ciphertext", "R7.6-4", nil),
        badCiphertext(
            "7.6-short-ciphertext", "A ciphertext of 1,087 bytes", "R7.6-4",
            [UInt8](repeating: 0, count: HybridShare.ciphertextLength - 1)),
        badCiphertext(
            "7.6-unasked-ciphertext", "A ciphertext, and a suite that is not hybrid", "R7.6-4", suite: 1,
            [UInt8](repeating: 0, count: HybridShare.ciphertextLength)),
        badCiphertext(
            "7.6-other-ciphertext", "A ciphertext that was not made with the peer's key", "R9.3-1",
            [UInt8](repeating: 7, count: HybridShare.ciphertextLength)),
    ]
}

extension Play {
    /// Leaves the play to peers that choose one of these suites, and begins anew.
    fileprivate func requireHybrid(_ suites: [UInt16]) throws(Interruption) {
        try peer.sendHello(ScriptedPeer.Offer(suites: suites))
        guard case .hello = try peer.next(awaiting: "HELLO or REFUSAL") else {
            throw .skipped("the peer has no hybrid suite")
        }
        try reconnect()
    }
}
