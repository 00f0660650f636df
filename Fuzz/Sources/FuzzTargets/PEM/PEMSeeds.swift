import FuzzSupport
import MultipeerCertificates
import MultipeerVectors

/// Certificates and keys of every kind, under every label, with text and headers around them.
enum PEMSeeds {
    static func make(_ vectors: VectorSet) -> [[UInt8]] {
        let certificates = ["plain", "short", "root"].map { PEM.encode(.certificate, Fixtures.authority[$0] ?? []) }
        let keys = Fixtures.kinds.enumerated().flatMap { index, kind in
            let der = Fixtures.keys["\(kind) key"] ?? []
            let texts = [PEM.encode(.privateKey, der)] + traditional(der)
            return texts.map { [3, UInt8(index)] + $0 } + [[3, UInt8(index)] + PEM.encode(.encryptedPrivateKey, der)]
        }
        let all = Array(certificates.joined())
        return [[0] + all, [2] + all, [2] + certificates[0], [2] + PEM.encode(.certificate, Fixtures.leaves[3])]
            + keys + texts.map { [0] + Array($0.utf8) }
            + [
                [1, 2, 4, 0x61, 0x62, 0x0A, 0x63, 0, 5, 1, 2, 3, 4, 5, 6, 1, 0x20, 3, 60]
                    + [UInt8](repeating: 7, count: 62)
            ]
    }

    /// The key inside of PKCS #8, as PKCS #1 or SEC 1 have it.
    private static func traditional(_ der: [UInt8]) -> [[UInt8]] {
        guard let inner = DERTree(der)?.children.last?.children.first, inner.children.count > 2 else { return [] }
        return [PEM.encode(.rsaPrivateKey, inner.bytes), PEM.encode(.ecPrivateKey, inner.bytes)]
    }

    private static let texts: [String] = [
        "", "\n", "text\r\n-----BEGIN CERTIFICATE-----\r\nQUJD\r\n-----END CERTIFICATE-----\r\ntext",
        "-----BEGIN X509 CERTIFICATE-----\n QUI= \t\n\n-----END X509 CERTIFICATE-----",
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\nQQ==\n"
            + "-----END RSA PRIVATE KEY-----\n",
        "-----BEGIN A-----\nQQ==\n-----END B-----\n", "-----BEGIN A-----\nQR==\n-----END A-----\n",
        "-----BEGIN A-----\nQQ=\n=\n-----END A-----\n", "-----BEGIN A-----\nQQ==\nQQ==\n-----END A-----\n",
        "-----END A-----\n", "-----BEGIN A-----\n", "-----BEGIN A-----\n-----END A-----\n",
        "-----BEGIN A-----\n-----BEGIN A-----\nQUJD\n-----END A-----\n", "-----BEGIN -----\nQUJD\n-----END -----\n",
        String(repeating: "-----BEGIN A-----\nQQ==\n-----END A-----\n", count: 8),
        String(repeating: "-----BEGIN A-----\nQQ==\n-----END A-----\n", count: 200),
    ]
}
