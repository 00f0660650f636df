import Foundation

/// Watches over the devices of a group. Usage:
///
///     DeviceManager device NAME GROUP                 one that is watched over
///     DeviceManager manage each|shared NAME GROUP     who watches, with a session for each device, or with one for all
@main
struct DeviceManager {
    static func main() throws {
        setlinebuf(stdout)
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("device", 3):
            let device = Device(peerID: try LocalPeer.load(named: arguments[1]), group: arguments[2])
            device.start()
            RunLoop.main.run()
        case ("manage", 4) where ["each", "shared"].contains(arguments[1]):
            let peerID = try LocalPeer.load(named: arguments[2])
            let sessions: any DeviceSessions =
                arguments[1] == "each" ? SessionForEach(peerID: peerID) : SharedSession(peerID: peerID)
            let console = Console(Manager(peerID: peerID, group: arguments[3], sessions: sessions))
            console.start()
            RunLoop.main.run()
        default:
            print("usage: DeviceManager device NAME GROUP | manage each|shared NAME GROUP")
            exit(64)
        }
    }
}
