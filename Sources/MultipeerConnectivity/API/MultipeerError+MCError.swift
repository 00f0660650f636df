import Multipeer

extension MCError {
    /// Why the package that does the work could not do what the app asked for.
    init(_ error: MultipeerError) {
        self.init(Self.code(error), error.description, underlying: error)
    }

    private static func code(_ error: MultipeerError) -> Code {
        switch error.code {
        case .cancelled, .declined: .cancelled
        case .timedOut: .timedOut
        case .notConnected, .closed, .connectionLost, .stopped, .streamEnded: .notConnected
        case .invalidArgument: .invalidParameter
        case .tooLarge: error.phase == .file ? .unsupported : .invalidParameter
        case .busy, .sessionFull, .limitReached, .storage, .unreachable, .cannotListen, .discoveryUnavailable:
            .unavailable
        default: .unknown
        }
    }
}
