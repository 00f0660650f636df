import MultipeerConnectivity

/// Which session a device is invited to.
protocol DeviceSessions: AnyObject {
    /// The session for a device, whose delegate is set.
    func session(for device: MCPeerID, delegate: any MCSessionDelegate) -> MCSession
    /// Every session there is.
    var all: [MCSession] { get }
    /// The device is gone.
    func forget(_ device: MCPeerID)
}

/// A session for each device: devices know nothing of each other, and there is no limit to their number.
final class SessionForEach: DeviceSessions {
    private let peerID: MCPeerID
    private var sessions: [MCPeerID: MCSession] = [:]

    init(peerID: MCPeerID) { self.peerID = peerID }

    func session(for device: MCPeerID, delegate: any MCSessionDelegate) -> MCSession {
        if let session = sessions[device] { return session }
        let session = MCSession(peer: peerID)
        session.delegate = delegate
        sessions[device] = session
        return session
    }

    var all: [MCSession] { Array(sessions.values) }

    func forget(_ device: MCPeerID) { sessions.removeValue(forKey: device)?.disconnect() }
}

/// One session for all: each device is connected with each other, so that one can continue when the manager is away.
final class SharedSession: DeviceSessions {
    private let session: MCSession

    init(peerID: MCPeerID) { session = MCSession(peer: peerID) }

    func session(for device: MCPeerID, delegate: any MCSessionDelegate) -> MCSession {
        session.delegate = delegate
        return session
    }

    var all: [MCSession] { [session] }

    // The others still need the session.
    func forget(_ device: MCPeerID) {}
}
