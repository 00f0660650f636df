import Foundation

/// A chat with whoever is nearby and wants to. Usage: NearbyChat NAME
@main
struct NearbyChat {
    static func main() throws {
        guard CommandLine.arguments.count == 2 else {
            print("usage: NearbyChat NAME")
            exit(64)
        }
        // Each line is seen at once, in a pipe as well.
        setlinebuf(stdout)
        let service = ChatService(peerID: try LocalPeer.load(named: CommandLine.arguments[1]))
        let console = Console(service)
        console.start()
        RunLoop.main.run()
    }
}
