import Foundation
import MultipeerConnectivity

/// The remote: the system's own list offers the screens, and then each line is a gesture. It lives on the main queue.
final class Remote: NSObject {
    private let session: MCSession
    private let picker: MCBrowserViewController
    private var (x, y): (Int32, Int32) = (0, 0)
    /// The rest of a circle.
    private var circle: [Gesture] = []
    private var timer: Timer?

    init(peerID: MCPeerID) {
        session = MCSession(peer: peerID)
        picker = MCBrowserViewController(serviceType: Screen.serviceType, session: session)
        super.init()
        picker.maximumNumberOfPeers = 2
        picker.delegate = self
        session.delegate = self
    }

    func start() { picker.present(animated: true) }

    private func point() {
        print("x y (moves there)  click  circle  quit")
        Thread.detachNewThread {
            while let line = readLine() { DispatchQueue.main.async { self.take(line) } }
            DispatchQueue.main.async { self.quit() }
        }
    }

    private func take(_ line: String) {
        let numbers = line.split(separator: " ").compactMap { Int32($0) }
        switch line {
        case "click": send(Gesture(.click, x: x, y: y), .reliable)
        case "circle": drawCircle()
        case "quit": quit()
        case _ where numbers.count == 2:
            (x, y) = (numbers[0], numbers[1])
            send(Gesture(.move, x: x, y: y), .unreliable)
        default: print("What is \(line)?")
        }
    }

    /// 360 small messages, as fast as a hand moves, and a click.
    private func drawCircle() {
        let (x, y) = (Double(x), Double(y))
        circle = (1...360).map { degree in
            let angle = Double(degree) * .pi / 180
            let place = (x: x + 100 * cos(angle) - 100, y: y + 100 * sin(angle))
            return Gesture(.move, x: Int32(place.x.rounded()), y: Int32(place.y.rounded()))
        }
        timer = Timer.scheduledTimer(withTimeInterval: 0.002, repeats: true) { _ in self.drawOn() }
    }

    private func drawOn() {
        guard !circle.isEmpty else {
            timer?.invalidate()
            return send(Gesture(.click, x: x, y: y), .reliable)
        }
        let next = circle.removeFirst()
        (x, y) = (next.x, next.y)
        send(next, .unreliable)
    }

    private func send(_ gesture: Gesture, _ mode: MCSessionSendDataMode) {
        do {
            try session.send(gesture.data, toPeers: session.connectedPeers, with: mode)
        } catch {
            print("Not sent: \(error.localizedDescription)")
        }
    }

    private func quit() {
        session.disconnect()
        // The screen hears the goodbye.
        DispatchQueue.main.asyncAfter(deadline: .now() + 0.5) { exit(0) }
    }
}

extension Remote: MCBrowserViewControllerDelegate {
    func browserViewControllerDidFinish(_ browserViewController: MCBrowserViewController) {
        browserViewController.dismiss(animated: true)
        DispatchQueue.main.async { self.point() }
    }

    func browserViewControllerWasCancelled(_ browserViewController: MCBrowserViewController) {
        browserViewController.dismiss(animated: true)
        print("No screen was chosen")
        exit(1)
    }
}

extension Remote: MCSessionDelegate {
    func session(_ session: MCSession, peer peerID: MCPeerID, didChange state: MCSessionState) {}

    func session(_ session: MCSession, didReceive data: Data, fromPeer peerID: MCPeerID) {}

    func session(
        _ session: MCSession, didReceive stream: InputStream, withName streamName: String, fromPeer peerID: MCPeerID
    ) {}

    func session(
        _ session: MCSession, didStartReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
        with progress: Progress
    ) { progress.cancel() }

    func session(
        _ session: MCSession, didFinishReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
        at localURL: URL?, withError error: (any Error)?
    ) {}
}
