import MultipeerCertificates

extension SignatureAlgorithm {
    package var name: String {
        switch self {
        case .ecdsaP256SHA256: "ECDSA P-256 with SHA-256"
        case .ecdsaP384SHA384: "ECDSA P-384 with SHA-384"
        case .rsaPSSSHA256: "RSASSA-PSS with SHA-256"
        case .ed25519: "Ed25519"
        }
    }
}
