import Foundation

/// Points at a screen from somewhere else in the room. Usage: RemoteControl screen|remote NAME
@main
struct RemoteControl {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, ["screen", "remote"].contains(arguments[1]) else {
            print("usage: RemoteControl screen|remote NAME")
            exit(64)
        }
        setlinebuf(stdout)
        let peerID = try LocalPeer.load(named: arguments[2])
        if arguments[1] == "screen" {
            let screen = Screen(peerID: peerID)
            screen.start()
            RunLoop.main.run()
        } else {
            let remote = Remote(peerID: peerID)
            remote.start()
            RunLoop.main.run()
        }
    }
}
