import Multipeer
import MultipeerTransfers
import MultipeerWire

extension MCError {
    /// Why a resource was not transferred to its end.
    init(_ error: TransferError) {
        self.init(Self.code(error), "\(error)", underlying: error)
    }

    private static func code(_ error: TransferError) -> Code {
        switch error {
        case .storage: .unavailable
        case .cancelled(let reason, byPeer: _):
            switch reason {
            case .cancelled, .declined: .cancelled
            case .interrupted: .notConnected
            case .stalled: .timedOut
            case .storageFailed, .sourceFailed, .noSpace, .noPermission, .sourceChanged: .unavailable
            case .tooLarge: .unsupported
            case .hashMismatch, .beginningDiffers, .badManifest: .unknown
            }
        case .unanswered: .timedOut
        case .busy: .unavailable
        case .linkEnded: .notConnected
        case .refused(let error): MCError(error).code
        }
    }
}
