public import MultipeerNIO

/// Why a session cannot listen.
@nonexhaustive
public enum ListenError: Error, Hashable, Sendable {
    /// The system does not allow to listen there.
    case bind(BindError)
}

extension ListenError: CustomStringConvertible {
    /// Phase, reason and remedy.
    public var description: String {
        switch self {
        case .bind(let error): "listening: \(error.reason). \(error.remedy)"
        }
    }
}

extension BindError {
    fileprivate var reason: String {
        switch self {
        case .invalidEndpoint: "nobody can listen at this address"
        case .resolutionFailed: "the name has no address"
        case .addressInUse: "somebody else listens there"
        case .addressUnavailable: "the address does not belong to this host"
        case .notPermitted: "the system does not allow it"
        case .noSuchFolder: "the folder of the socket does not exist"
        case .pathOccupied: "something other than a socket is at the path"
        case .system(let errno): "the system reports error \(errno)"
        }
    }

    fileprivate var remedy: String {
        switch self {
        case .invalidEndpoint, .resolutionFailed: "Check the address"
        case .addressInUse: "Choose another port, or end the program that listens there"
        case .addressUnavailable: "Choose an address of this host, or 0.0.0.0 for all of them"
        case .notPermitted: "Choose a port above 1023, or a folder that this user may write"
        case .noSuchFolder: "Create the folder"
        case .pathOccupied: "Choose another path"
        case .system: "Look up the system's error number"
        }
    }
}
