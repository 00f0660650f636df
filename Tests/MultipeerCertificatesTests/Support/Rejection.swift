import MultipeerCertificates
import MultipeerGnuTLS
import MultipeerTestSupport

/// Validates a chain against anchors and gives the rejection, or nil.
func rejection(
    of chain: [TestAuthority], anchors: [TestAuthority], requirements: PathRequirements = PathRequirements(),
    at time: Int64 = secondsNow()
) throws -> CertificateRejection? {
    let chain = try UnverifiedCertificateChain(chain.map { try $0.certificate })
    let validator = try GnuTLSPathValidator(anchors: anchors.map { try $0.certificate }) { time }
    return rejection(of: chain, by: validator, requirements)
}

func rejection(
    of chain: UnverifiedCertificateChain, by validator: GnuTLSPathValidator,
    _ requirements: PathRequirements = PathRequirements()
) -> CertificateRejection? {
    do throws(CertificateRejection) {
        _ = try validator.validate(chain, requirements: requirements)
        return nil
    } catch {
        return error
    }
}
