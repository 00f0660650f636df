internal import MultipeerCrypto
internal import MultipeerSodium

/// `pairing/short-string`: SPEC §25.3.
struct ShortStringFile {
    let subject: SwiftSubject
    private var samples: Samples { Samples(crypto: subject.crypto) }

    func write() throws -> CaseWriter {
        let cases = CaseWriter(
            "pairing/short-string", topic: "pairing-string", type: .shortString, section: "25.3", subject: subject)
        try positive(cases)
        try negative(cases)
        return cases
    }

    private struct Exchange {
        var link = PairingLink()
        var initiatorNonce: [UInt8]
        var responderNonce: [UInt8]
        /// What the initiator committed to, where it is not what it reveals.
        var committed: [UInt8]?
        var committedLink: PairingLink?
    }

    private var usual: Exchange {
        Exchange(initiatorNonce: samples.bytes32("first nonce"), responderNonce: samples.bytes32("second nonce"))
    }

    private func positive(_ cases: CaseWriter) throws {
        let shown = ["R25.2-1", "R25.3-2", "R25.3-3"]
        try cases.accept("both nonces", shown, inputs(usual))
        for (comment, link) in PairingLink.others {
            var exchange = usual
            exchange.link = link
            try cases.accept(comment, shown, inputs(exchange))
        }
        var exchange = usual
        exchange.responderNonce = samples.bytes32("another second nonce")
        try cases.accept("another nonce of the responder", shown, inputs(exchange))
        exchange = usual
        exchange.initiatorNonce = samples.bytes32("another first nonce")
        try cases.accept("another nonce of the initiator", shown, inputs(exchange))
        exchange = usual
        exchange.responderNonce = exchange.initiatorNonce
        try cases.accept("one nonce twice", shown, inputs(exchange))
        exchange.responderNonce = try nonce { $0.digits.hasPrefix("000") }
        try cases.accept("digits that begin with three zeros", shown, inputs(exchange))
        exchange.responderNonce = try nonce { $0.words.contains(PairingWords.all[0]) }
        try cases.accept("the first word", shown, inputs(exchange))
        exchange.responderNonce = try nonce { $0.words.contains(PairingWords.all[1_023]) }
        try cases.accept("the last word", shown, inputs(exchange))
    }

    private func negative(_ cases: CaseWriter) throws {
        func refuse(_ comment: String, _ exchange: Exchange) throws {
            try cases.reject("commitment_invalid", "WrongCommitment", comment, ["R25.3-2"], try inputs(exchange))
        }
        for place in [0, 31] {
            var exchange = usual
            var other = exchange.initiatorNonce
            other[place] ^= place == 0 ? 0x80 : 1
            exchange.committed = other
            try refuse("committed to a nonce that differs in byte \(place)", exchange)
        }
        var exchange = usual
        exchange.committed = exchange.responderNonce
        try refuse("committed to the other nonce", exchange)
        for (comment, link) in PairingLink.others {
            exchange = usual
            exchange.committedLink = link
            try refuse("committed for \(comment)", exchange)
        }
        guard case .object(var members) = try inputs(usual) else { return }
        let reflected = usual.initiatorNonce
        members["commitment"] = .hex(reflected)
        try cases.reject(
            "commitment_invalid", "WrongCommitment", "the nonce itself as the commitment", ["R25.3-2"],
            .object(members))
        members["commitment"] = .hex(subject.crypto.sha256(reflected))
        try cases.reject(
            "commitment_invalid", "WrongCommitment", "the hash of the nonce alone", ["R25.3-2"], .object(members))
    }

    /// A nonce of the responder that gives a string of a rare form.
    private func nonce(where isWanted: (ShortAuthenticationString) -> Bool) throws -> [UInt8] {
        for number in 0..<20_000 {
            let nonce = samples.bytes32("responder's nonce \(number)")
            let initiator = try start(usual.link, usual.initiatorNonce)
            if isWanted(try initiator.reveal(to: nonce).string) { return nonce }
        }
        throw GeneratorFault.cannotBuild("a rare string")
    }

    private func start(_ link: PairingLink, _ nonce: [UInt8]) throws -> ShortStringInitiator {
        let exports = try LinkExports(Arguments(.object(link.inputs(samples)), "inputs"), crypto: subject.crypto)
        let context = ShortStringContext(
            stringKey: try exports.secret(ShortStringContext.exportLabel),
            initiator: exports.initiator, responder: exports.responder)
        var random: any RandomSource = ReplayedRandomness(nonce)
        return try ShortStringInitiator(context: context, primitives: subject.crypto.sodium.pairing, random: &random)
    }

    private func inputs(_ exchange: Exchange) throws -> JSONValue {
        let committing = try start(
            exchange.committedLink ?? exchange.link, exchange.committed ?? exchange.initiatorNonce)
        return .object(
            exchange.link.inputs(samples).merging([
                "commitment": .hex(committing.commitment), "initiatorNonce": .hex(exchange.initiatorNonce),
                "responderNonce": .hex(exchange.responderNonce),
            ]) { own, _ in own })
    }
}
