import Foundation

/// A shelf of PDF files that devices nearby hand to each other. Usage: PaperShelf NAME FOLDER
@main
struct PaperShelf {
    static func main() throws {
        guard CommandLine.arguments.count == 3 else {
            print("usage: PaperShelf NAME FOLDER")
            exit(64)
        }
        setlinebuf(stdout)
        let shelf = Shelf(folder: URL(fileURLWithPath: CommandLine.arguments[2], isDirectory: true))
        let exchange = Exchange(peerID: try LocalPeer.load(named: CommandLine.arguments[1]), shelf: shelf)
        let console = Console(shelf, exchange)
        console.start()
        RunLoop.main.run()
    }
}
