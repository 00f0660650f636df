public import FuzzSupport
import MultipeerCertificates
import MultipeerVectors
import MultipeerWire

extension FuzzTarget {
    /// Chains of certificates as a stranger sends them: limits, paths to an anchor, bindings, fingerprints
    /// (SPEC §10.2–§10.8).
    ///
    /// The first byte says whether the rest is a payload of CERTIFICATES, choices of genuine certificates and of changes
    /// to them, choices around a signature, or peers that validators meet.
    public static let certificateChain = FuzzTarget(
        name: "CertificateChain", maximumLength: 4_096, memory: MemoryBudget(base: 2_097_152, perByte: 256),
        minimumFeatures: 10_400,
        seeds: CertificateChainSeeds.make, run: { try judge($0) })

    private static func judge(_ input: Span<UInt8>) throws {
        var choices = Choices(input)
        switch choices.int(below: 4) {
        case 0: try payload(&choices)
        case 1:
            let setting = ChainSetting(&choices)
            try ChainOracle.judge(ChainChoices.make(&choices), setting)
        case 3: try ValidatorOracle.judge(&choices)
        default: try BindingOracle.verify(&choices)
        }
    }

    private static func payload(_ choices: inout Choices) throws {
        let setting = ChainSetting(&choices)
        let bytes = choices.rest()
        var reader = Reader(bytes.span)
        let frame: Certificates
        do { frame = try Certificates(&reader) } catch { return }
        // What a frame holds is within the limits of a chain, and the other way round.
        let chain = try? UnverifiedCertificateChain(frame.chain.map(Certificate.init(der:)))
        try requireEqual(chain != nil, !frame.chain.isEmpty, "whether the certificates of a frame are a chain")
        if chain != nil { try ChainOracle.judge(frame.chain, setting) }
    }
}
