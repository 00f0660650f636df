import Multipeer
package import MultipeerNIO

extension CommandFailure {
    /// - Parameter canWaitLonger: Whether the command has `--timeout`.
    package init(_ error: ConnectError, endpoint: Endpoint, canWaitLonger: Bool = true) {
        let place = SafeText.escape(endpoint.description)
        switch error {
        case .invalidEndpoint:
            self.init(
                "connection", "\(place) is not an address to connect to", remedy: "Give HOST:PORT or unix:PATH", .usage)
        case .resolutionFailed:
            self.init("connection", "\(place): the name has no address", remedy: "Check the name", .unreachable)
        case .unreachable(let why):
            self.init(
                "connection", "\(place): \(why.words)",
                remedy: "Check the address, the port and firewalls, and that the peer listens", .unreachable)
        case .timedOut:
            self.init(
                "connection", "\(place): nobody answered in time",
                remedy: "Check the address, the port and firewalls"
                    + (canWaitLonger ? ", or wait longer (--timeout)" : ""),
                .timedOut)
        case .cancelled:
            self.init("connection", "\(place): given up", remedy: "Start again", .interrupted)
        }
    }

    package init(_ error: BindError, endpoint: Endpoint) {
        let (reason, remedy, status): (String, String, ExitStatus) =
            switch error {
            case .invalidEndpoint:
                ("it is not an address to listen at", "Give an address of this host and a port", .usage)
            case .resolutionFailed: ("the name has no address", "Check the name", .system)
            case .addressInUse:
                ("another program already listens there", "Choose another port, or end the other program", .system)
            case .addressUnavailable:
                (
                    "the address does not belong to this host",
                    "Choose an address of this host, or 0.0.0.0 or :: for all",
                    .system
                )
            case .notPermitted: ("the system forbids it", "Choose a port above 1023, or a folder of your own", .system)
            case .noSuchFolder: ("its folder does not exist", "Create the folder first", .system)
            case .pathOccupied:
                ("something else is at this path", "Choose another path, or remove the existing file", .system)
            case .system(let errno): (SystemText.describe(errno), "Choose another address", .system)
            }
        self.init("listening", "\(SafeText.escape(endpoint.description)): \(reason)", remedy: remedy, status)
    }
}

extension Unreachability {
    fileprivate var words: String {
        switch self {
        case .refused: "nobody listens there"
        case .noRoute: "there is no route to it"
        case .noSuchSocket: "there is no such socket"
        case .notPermitted: "this host forbids it"
        case .system(let errno): errno == 0 ? "it cannot be reached" : SystemText.describe(errno)
        }
    }
}
