import MultipeerConnectivity

/// Three apps as they are mostly written for Apple's framework: they look, invite the peers that they find, and say
/// hello to each peer that is connected. No line in them is there for this package. Usage: MeetAgain
/// everybody|turns|word NAME
@main
struct MeetAgain {
    static func main() {
        setlinebuf(stdout)
        guard CommandLine.arguments.count == 3, let app = app(CommandLine.arguments[1], CommandLine.arguments[2]) else {
            print("usage: MeetAgain everybody|turns|word NAME")
            exit(64)
        }
        Thread.detachNewThread {
            while readLine() != nil {}
            // As apps end: nothing is stopped, and nobody is notified.
            exit(0)
        }
        withExtendedLifetime(app) { RunLoop.main.run() }
    }

    private static func app(_ kind: String, _ name: String) -> AnyObject? {
        switch kind {
        case "everybody": EverybodyManager(name: name)
        case "turns": TurnsManager(name: name)
        case "word": WordManager(name: name)
        default: nil
        }
    }
}
