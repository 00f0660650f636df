import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerWire
import Testing

@testable import MultipeerCommandLine

@Suite("The mapping to exit statuses")
struct ExitStatusTests {
    /// Swift Testing has an `ExitStatus` too.
    private typealias Status = MultipeerCommandLine.ExitStatus

    @Test("Every end of a link has the status that docs/command-line.md gives")
    func links() {
        let table: [(LinkFailureCause, Status)] = [
            (.malformed(WireError(.truncated, in: .magic)), .protocolFailure),
            (.violation(.proofInvalid), .protocolFailure), (.violation(.decryptFailed), .protocolFailure),
            (.incompatible(.noCommonVersion), .protocolFailure), (.incompatible(.refused(.busy)), .unreachable),
            (.incompatible(.encryptionPolicy(local: .none, remote: .required)), .refused),
            (.certificate(.expired), .refused), (.certificate(.pinMismatch), .refused),
            (.certificate(.bindingInvalid), .protocolFailure), (.certificate(.verdictTimeout), .timedOut),
            (.invitation(.declinedByPeer), .refused), (.invitation(.noAnswer), .timedOut),
            (.peerClosed(.certificateExpired), .refused), (.peerClosed(.proofInvalid), .protocolFailure),
            (.peerClosed(.handshakeTimeout), .timedOut), (.peerClosed(.shuttingDown), .unreachable),
            (.peerClosed(CloseCode(rawValue: 0x7777)), .protocolFailure), (.timedOut, .timedOut),
            (.truncated, .unreachable), (.crypto(.outOfSecretMemory), .software), (.limit(.noRoom), .unreachable),
            (.limit(.messageStalled), .timedOut), (.silent, .unreachable), (.verification(.codeWrong), .refused),
            (.limit(.sendingStalled), .timedOut),
            (.limit(.receivingStalled), .timedOut),
        ]
        for (cause, status) in table {
            #expect(Status(LinkFailure(stage: .certificates, cause: cause)) == status)
        }
    }

    @Test("A refused certificate has one status for both peers")
    func bothSides() {
        // The code that the peer gets (SPEC §18), and its status for it.
        for code in CloseCode.registry.map(\.code) where (0x10...0x13).contains(code.rawValue) {
            #expect(Status(LinkFailure(stage: .certificates, cause: .peerClosed(code))) == .refused)
        }
    }
}
