import Foundation
import MultipeerCertificates
import MultipeerStorage

/// Reading PEM files, with errors that say which.
enum PEMFile {
    static func read(_ url: URL) throws(MCError) -> [UInt8] {
        try reporting(url) { try CertificateFiles.readCertificates(at: url.path) }
    }

    /// Turns the errors of other modules into those of this one.
    static func reporting<Result>(_ url: URL, _ body: () throws -> Result) throws(MCError) -> Result {
        do {
            return try body()
        } catch let error as MCError {
            throw error
        } catch {
            throw MCError(.invalidParameter, "\(url.path): \(error)", underlying: error)
        }
    }
}
