import Foundation
import MultipeerConnectivity

/// Shows the chat, and takes what is typed. It lives on the main queue.
final class Console: ChatServiceDelegate {
    private static let help = "/devices  /invite NAME  /yes  /no  /quit, and everything else is said"

    private let chat: ChatService
    private var shown: [MCPeerID] = []
    /// Invitations that wait for an answer, the oldest first.
    private var invitations: [(device: MCPeerID, answer: (Bool) -> Void)] = []

    init(_ chat: ChatService) {
        self.chat = chat
        chat.delegate = self
    }

    func start() {
        print("You are \(chat.peerID.displayName.plain). \(Self.help)")
        chat.start()
        Thread.detachNewThread {
            while let line = readLine() { DispatchQueue.main.async { self.take(line) } }
            DispatchQueue.main.async { self.quit() }
        }
    }

    // MARK: What is typed

    private func take(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        switch words.first {
        case nil: break
        case "/devices": showDevices()
        case "/invite": invite(words.count > 1 ? words[1] : "")
        case "/yes": answer(true)
        case "/no": answer(false)
        case "/quit": quit()
        default: say(line)
        }
    }

    private func showDevices() {
        if chat.devices.isEmpty { print("Nobody is nearby") }
        for device in chat.devices {
            print("  \(device.displayName.plain)\(chat.members.contains(device) ? " is in the chat" : "")")
        }
    }

    private func invite(_ name: String) {
        guard let device = chat.devices.first(where: { $0.displayName == name }) else {
            return print("Nobody nearby is called \(name)")
        }
        print("Inviting \(name.plain)…")
        chat.invite(device)
    }

    private func answer(_ isWelcome: Bool) {
        guard !invitations.isEmpty else { return print("Nobody invites you") }
        invitations.removeFirst().answer(isWelcome)
        askNext()
    }

    private func say(_ text: String) {
        guard !chat.members.isEmpty else { return print("Nobody is in the chat") }
        do {
            try chat.say(text)
        } catch {
            print("Not sent: \(error.localizedDescription)")
        }
    }

    private func quit() {
        chat.stop()
        // Others hear the goodbye.
        DispatchQueue.main.asyncAfter(deadline: .now() + 0.5) { exit(0) }
    }

    // MARK: What happens

    func chat(_ chat: ChatService, devicesDidChange devices: [MCPeerID]) {
        for device in devices where !shown.contains(device) { print("\(device.displayName.plain) is nearby") }
        for device in shown where !devices.contains(device) { print("\(device.displayName.plain) is out of reach") }
        shown = devices
    }

    func chat(_ chat: ChatService, isInvitedBy device: MCPeerID, answer: @escaping (Bool) -> Void) {
        invitations.append((device, answer))
        if invitations.count == 1 { askNext() }
    }

    private func askNext() {
        guard let first = invitations.first else { return }
        print("\(first.device.displayName.plain) wants to chat with you: /yes or /no?")
    }

    func chat(_ chat: ChatService, didChange state: MCSessionState, of device: MCPeerID) {
        let name = device.displayName.plain
        switch state {
        case .connecting: print("\(name) is being connected")
        case .connected: print("\(name) is in the chat")
        case .notConnected: print("\(name) is not in the chat")
        }
    }

    func chat(_ chat: ChatService, didReceive text: String, from device: MCPeerID) {
        print("\(device.displayName.plain): \(text.plain)")
    }

    func chat(_ chat: ChatService, didFail error: any Error) {
        print("Nobody can be found: \(error.localizedDescription)")
        exit(1)
    }
}
