import FuzzSupport
import MultipeerCertificates
import MultipeerGnuTLS

/// Chains and anchors in PEM (docs/formats.md, "Certificates and keys").
enum CertificateTextOracle {
    static func read(_ text: [UInt8]) throws {
        let blocks = ModelPEM(text)
        let ders = blocks.blocks.filter { ["CERTIFICATE", "X509 CERTIFICATE"].contains($0.label) }.map(\.bytes)
        let anchors = try result(blocks, ders) { () throws(CertificateFileError) in
            try CertificateLoader.anchors(pem: text.span)
        }
        let chain = try result(blocks, ders) { () throws(CertificateFileError) in
            try CertificateLoader.chain(pem: text.span).certificates
        }
        if let chain { try requireEqual(chain, anchors ?? [], "a chain, and the same as anchors") }
        let isInLimits =
            ders.count <= 8 && ders.allSatisfy { $0.count <= 16_384 } && ders.reduce(0) { $0 + $1.count } <= 49_152
        // Whatever can be read as anchors and keeps SPEC §10.2 is a chain.
        try requireEqual(chain != nil, anchors != nil && isInLimits, "whether this is a chain")
        for certificate in anchors ?? [] {
            let fingerprint = try CertificateLoader.fingerprint(of: certificate)
            try requireEqual(KeyFingerprint(fingerprint.description), fingerprint, "a fingerprint, read again")
        }
    }

    /// The certificates, or nil when they were refused for a reason that the blocks bear out.
    private static func result(
        _ model: ModelPEM, _ ders: [[UInt8]], _ load: () throws(CertificateFileError) -> [Certificate]
    ) throws(OracleFailure) -> [Certificate]? {
        do {
            let certificates = try load()
            try requireEqual(certificates.map(\.der), ders, "certificates")
            try require(model.fault == nil && !ders.isEmpty, "certificates out of a text that has none")
            return certificates
        } catch let error as CertificateFileError {
            switch error {
            case .malformedPEM(let line): try requireEqual(line, model.fault, "the line that is wrong")
            case .tooManyBlocks: try require(model.isOverCount, "too many blocks")
            case .noCertificate: try require(ders.isEmpty, "no certificate, where there are \(ders.count)")
            case .malformedCertificate(let index):
                try require(ders.indices.contains(index), "certificate \(index) of \(ders.count)")
            case .chain(let reason): try checkLimit(reason, ders)
            default: throw OracleFailure("certificates are refused for \(error)")
            }
            return nil
        } catch let error as OracleFailure {
            throw error
        } catch {
            throw OracleFailure("an error of another type: \(error)")
        }
    }

    private static func checkLimit(_ reason: CertificateChainError, _ ders: [[UInt8]]) throws(OracleFailure) {
        switch reason {
        case .tooManyCertificates: try require(ders.count > 8, "too many certificates")
        case .certificateTooLong: try require(ders.contains { $0.count > 16_384 }, "a certificate that is too long")
        case .chainTooLong: try require(ders.reduce(0) { $0 + $1.count } > 49_152, "a chain that is too long")
        case .empty, .emptyCertificate: throw OracleFailure("a chain is refused for \(reason)")
        }
    }
}
