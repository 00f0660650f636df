import Foundation
import MultipeerConnectivity

/// Shows the shelf and the peers nearby, and takes what is typed. It lives on the main queue.
final class Console: ExchangeDelegate {
    private let shelf: Shelf
    private let exchange: Exchange
    private var invitations: [(reader: MCPeerID, answer: (Bool) -> Void)] = []
    private var transfers: [Progress: Transfer] = [:]
    private var timer: Timer?

    init(_ shelf: Shelf, _ exchange: Exchange) {
        self.shelf = shelf
        self.exchange = exchange
        exchange.delegate = self
    }

    func start() {
        print("shelf  readers  send NUMBER READER  yes  no  cancel  quit")
        showShelf()
        exchange.start()
        timer = Timer.scheduledTimer(withTimeInterval: 0.2, repeats: true) { _ in self.showProgress() }
        Thread.detachNewThread {
            while let line = readLine() { DispatchQueue.main.async { self.take(line) } }
            DispatchQueue.main.async { self.quit() }
        }
    }

    // MARK: What is typed

    private func take(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        switch (words.first, words.count) {
        case ("shelf", 1): showShelf()
        case ("readers", 1): print("Nearby: \(exchange.readers.map(\.displayName).joined(separator: ", ").plain)")
        case ("send", 3): send(words[1], to: words[2])
        case ("yes", 1): answer(true)
        case ("no", 1): answer(false)
        case ("cancel", 1): for progress in transfers.keys { progress.cancel() }
        case ("quit", 1): quit()
        default: print("What is \(line)?")
        }
    }

    private func showShelf() {
        for (index, file) in shelf.files.enumerated() { print("\(index + 1)  \(file.lastPathComponent.plain)") }
    }

    private func send(_ number: String, to name: String) {
        guard let index = Int(number), shelf.files.indices.contains(index - 1) else {
            return print("There is no file \(number)")
        }
        guard let reader = exchange.readers.first(where: { $0.displayName == name }) else {
            return print("Nobody nearby is called \(name)")
        }
        exchange.send(shelf.files[index - 1], to: reader)
    }

    private func answer(_ isWelcome: Bool) {
        guard !invitations.isEmpty else { return print("Nobody asks") }
        invitations.removeFirst().answer(isWelcome)
    }

    private func quit() {
        exchange.stop()
        // Others hear the goodbye.
        DispatchQueue.main.asyncAfter(deadline: .now() + 0.5) { exit(0) }
    }

    // MARK: What happens

    func exchange(_ exchange: Exchange, didFind reader: MCPeerID) { print("\(reader.displayName.plain) is nearby") }

    func exchange(_ exchange: Exchange, didLose reader: MCPeerID) {
        print("\(reader.displayName.plain) is out of reach")
    }

    func exchange(_ exchange: Exchange, isInvitedBy reader: MCPeerID, answer: @escaping (Bool) -> Void) {
        invitations.append((reader, answer))
        print("\(reader.displayName.plain) wants to hand you papers: yes or no?")
    }

    func exchange(_ exchange: Exchange, didChange state: MCSessionState, of reader: MCPeerID) {
        if state == .connected { print("\(reader.displayName.plain) is connected") }
        if state == .notConnected { print("\(reader.displayName.plain) is not connected") }
    }

    func exchange(_ exchange: Exchange, didBegin transfer: Transfer) {
        transfers[transfer.progress] = transfer
        print(line(transfer))
    }

    func exchange(_ exchange: Exchange, didEnd transfer: Transfer, with result: Result<URL, any Error>) {
        transfers[transfer.progress] = nil
        let verb = transfer.direction == .sending ? "Sent" : "Received"
        switch result {
        case .success(let file): print("\(verb) \(file.lastPathComponent.plain)")
        case .failure(let error): print("\(verb) nothing of \(transfer.name.plain): \(error.localizedDescription)")
        }
    }

    private func showProgress() {
        for transfer in transfers.values { print(line(transfer)) }
    }

    private func line(_ transfer: Transfer) -> String {
        let verb = transfer.direction == .sending ? "Sending" : "Receiving"
        let percent = Int(transfer.progress.fractionCompleted * 100)
        var line = "\(verb) \(transfer.name.plain): \(percent) %"
        if let left = transfer.progress.estimatedTimeRemaining { line += ", \(Int(left)) s left" }
        return line
    }
}
