import Foundation
import MultipeerConnectivity

/// What others see of this device. The peer ID is archived, because a new one would be a stranger to everybody, even
/// with the same name.
enum LocalPeer {
    static func load(named name: String) throws -> MCPeerID {
        let folder = try FileManager.default
            .url(for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
            .appendingPathComponent("DeviceManager", isDirectory: true)
        let file = folder.appendingPathComponent("PeerID.archive")
        if let data = try? Data(contentsOf: file),
            let peerID = try NSKeyedUnarchiver.unarchivedObject(ofClass: MCPeerID.self, from: data),
            peerID.displayName == name
        {
            return peerID
        }
        let peerID = MCPeerID(displayName: name)
        let data = try NSKeyedArchiver.archivedData(withRootObject: peerID, requiringSecureCoding: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try data.write(to: file, options: .atomic)
        return peerID
    }
}
