import Dispatch
import MultipeerConformance
import MultipeerScriptedPeer
import MultipeerWire
import Synchronization

/// Faulty peers that listen.
final class FaultyListener: Sendable {
    private let listener: TCPListener
    private let isStopped = Mutex(false)

    init(_ settings: FaultyPeer.Settings) throws {
        listener = try TCPListener(host: "127.0.0.1", port: 0)
        DispatchQueue(label: "faulty.accept").async { [self] in
            while !isStopped.withLock({ $0 }) {
                guard let stream = try? listener.accept(until: .after(.milliseconds(100))) else { continue }
                DispatchQueue(label: "faulty.peer").async {
                    FaultyPeer(role: .responder, stream: stream, settings: settings).run()
                }
            }
        }
    }

    func stop() { isStopped.withLock { $0 = true } }

    var source: ConnectingSource { ConnectingSource(host: "127.0.0.1", port: listener.port) }
}

/// Faulty peers that connect.
struct FaultyInitiator: PeerLauncher {
    let settings: FaultyPeer.Settings

    func launch(port: UInt16) {
        let settings = settings
        DispatchQueue(label: "faulty.peer").async {
            guard let stream = try? TCPStream.connect(host: "127.0.0.1", port: port, until: .after(.seconds(20))) else {
                return
            }
            FaultyPeer(role: .initiator, stream: stream, settings: settings).run()
        }
    }

    func finish() {}

    func source() throws -> ListeningSource {
        ListeningSource(listener: try TCPListener(host: "127.0.0.1", port: 0), launcher: self)
    }
}
