import Foundation
import MultipeerConnectivity

/// Shows what a manager reports, and takes what is typed.
final class Console: ManagerDelegate {
    private let manager: Manager

    init(_ manager: Manager) {
        self.manager = manager
        manager.delegate = self
    }

    func start() {
        print("report [NAME]  leave NAME  invite NAME  quit")
        manager.start()
        Thread.detachNewThread {
            while let line = readLine() { DispatchQueue.main.async { self.take(line) } }
            DispatchQueue.main.async { self.quit() }
        }
    }

    private func take(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        switch (words.first, words.count) {
        case ("report", 1): ask(.report, of: nil)
        case ("report", _): withDevice(words[1]) { ask(.report, of: $0) }
        case ("leave", 2): withDevice(words[1]) { ask(.leave, of: $0) }
        case ("invite", 2): withDevice(words[1]) { manager.invite($0) }
        case ("quit", _): quit()
        default: print("What is \(line)?")
        }
    }

    private func withDevice(_ name: String, _ action: (MCPeerID) -> Void) {
        guard let device = manager.devices.first(where: { $0.displayName == name }) else {
            return print("No device is called \(name)")
        }
        action(device)
    }

    private func ask(_ request: Request, of device: MCPeerID?) {
        do {
            print("Asked \(try manager.ask(request, of: device))")
        } catch {
            print("Not asked: \(error.localizedDescription)")
        }
    }

    private func quit() {
        manager.stop()
        // Others hear the goodbye.
        DispatchQueue.main.asyncAfter(deadline: .now() + 0.5) { exit(0) }
    }

    // MARK: What happens

    func manager(_ manager: Manager, didChange state: MCSessionState, of device: MCPeerID) {
        switch state {
        case .notConnected: print("\(device.displayName.plain) is not connected")
        case .connecting: print("\(device.displayName.plain) is being connected")
        case .connected: print("\(device.displayName.plain) is connected")
        }
    }

    func manager(_ manager: Manager, didReceive report: Report, from device: MCPeerID) {
        let peers = report.peers.sorted().joined(separator: ", ").plain
        print("\(device.displayName.plain) has run for \(report.uptime) s and sees \(peers)")
    }

    func manager(_ manager: Manager, didFail error: any Error) {
        print("No device can be found: \(error.localizedDescription)")
        exit(1)
    }
}
