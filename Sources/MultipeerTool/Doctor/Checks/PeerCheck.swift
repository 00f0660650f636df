import Multipeer
import MultipeerCommandLine
import MultipeerCore
import MultipeerCrypto
import MultipeerNIO
import MultipeerTerminal
import MultipeerWire

/// Whether the peer that `--peer` names can be reached, speaks this protocol, and proves its key.
struct PeerCheck: Check {
    let address: Endpoint?
    let contact: Task<PeerContact, Never>?

    var name: CheckName { .peer }
    var limit: Duration { .seconds(9) }

    func run() async -> CheckResult {
        guard let address, let contact else { return .skipped(name, "none is given (--peer HOST:PORT)") }
        let found = await contact.value
        let place = SafeText.escape(address.description)
        let seen =
            "\(place): " + (found.peer.map { "\($0.text(Palette(isEnabled: false))) has proved its key" } ?? "no peer")
        switch found.end {
        case .identified, .opened: return CheckResult(name, seen)
        case .unreachable(let failure):
            return CheckResult(name, seen, [.problem(failure, why: "Without a connection there is no session.")])
        case .failed(let failure, let words):
            // The check of policies reports these.
            guard found.peer == nil || !failure.cause.isMatterOfPolicy else { return CheckResult(name, seen) }
            return CheckResult(
                name, seen, [.problem(words, why: "The connection works, and the link over it does not.")])
        }
    }
}

extension LinkFailureCause {
    /// Whether both peers did what they should, and one of them does not want the session.
    var isMatterOfPolicy: Bool {
        switch self {
        case .incompatible(.encryptionPolicy), .certificate, .invitation: true
        case .peerClosed(let code): (0x10...0x15).contains(code.rawValue)
        default: false
        }
    }
}
