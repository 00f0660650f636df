import Glibc
import Multipeer
package import MultipeerCertificates
package import MultipeerCore
package import MultipeerCrypto
package import MultipeerDriver
package import MultipeerGnuTLS

/// Failures of the layers below, in one form.
extension CommandFailure {
    /// - Parameter hint: Replaces the general remedy where the command knows a better one.
    package init(_ failure: LinkFailure, hint: String? = nil) {
        self.init(
            failure.stage.description, SafeText.escape(failure.reason), remedy: hint ?? failure.remedy,
            ExitStatus(failure))
    }

    /// Creates a failure of the local cryptography.
    package init(_ failure: CryptoFailure) {
        switch failure {
        case .outOfSecretMemory:
            self.init(
                "start", "there is no memory that can be locked for keys",
                remedy: "Raise the limit of locked memory (ulimit -l)", .software)
        case .lenientSignatures:
            self.init(
                "start", "this libsodium accepts Ed25519 signatures that must be refused",
                remedy: "Install a released version of libsodium", .software)
        default:
            self.init(
                "start", "cryptography failed: \(failure)", remedy: "Report a bug with this message", .software)
        }
    }

    /// Creates a failure of a PEM file that was named on the command line.
    package init(_ error: CertificateFileError, file: String) {
        self.init(
            "certificate file", "\(SafeText.escape(file)): \(error.reason)", remedy: error.remedy, .input)
    }

    package init(_ error: AuthorityError) {
        let status: ExitStatus =
            switch error {
            case .file, .notAnAuthority, .selfCheckFailed: .input
            case .validityOutOfRange, .outlivesAuthority: .usage
            case .outOfSecretMemory, .backendRefused: .software
            }
        self.init("certificate authority", error.reason, remedy: error.remedy, status)
    }

    /// Returns the failure for a link that ended before a file was complete. If the link itself failed, its own failure
    /// says more.
    package static func unfinished(_ file: String) -> CommandFailure {
        CommandFailure(
            "file transfer", "\(SafeText.escape(file)): the link ended before the file was complete",
            remedy: "Send it again", .unreachable)
    }

    /// Creates the failure of messages that did not arrive for certain; nil if all did.
    package init?(_ undelivered: UndeliveredMessages) {
        guard !undelivered.isEmpty else { return nil }
        self.init(
            "session", "the link ended before all messages arrived; \(undelivered)",
            remedy: undelivered.inDoubt > 0
                ? "Ask the peer what has arrived, and send the rest again" : "Send them again",
            .unreachable)
    }

    /// Creates the failure of a message that was not queued.
    package init(_ failure: SendFailure) {
        let status: ExitStatus = if case .messageTooLong = failure { .refused } else { .unreachable }
        self.init("session", failure.reason, remedy: failure.remedy, status)
    }

    /// Creates a failure of a system call on a local file.
    package init(reading path: String, _ failure: WholeInput.Failure) {
        let reason = failure.errno == 0 ? "it is too long" : SystemText.describe(failure.errno)
        self.init(
            "input", "\(SafeText.escape(path)): \(reason)",
            remedy: "Give a file that can be read, or - for standard input",
            .input)
    }
}

/// The system's descriptions of its error numbers.
package enum SystemText {
    package static func describe(_ number: Int32) -> String {
        // SAFETY: a C string of this thread's own (glibc 2.32 and later), copied at once.
        unsafe String(cString: strerror(number))
    }
}
