import MultipeerCore
import MultipeerCrypto
import MultipeerNIO
import MultipeerWire

/// Files and streams that the peer begins.
extension Session {
    func receive(_ event: IncomingFileEvent, _ state: inout SessionState) async {
        switch event {
        case .offered(let offer): await offered(offer, &state)
        case .ended(let file, let reason, let byPeer):
            guard let name = state.offered.take(file), byPeer else { return }
            let failure = CommandFailure(reason, byPeer: true, file: name)
            tell(.fileFailed(.received, name: name, failure))
            state.note(failure)
        // Whoever has accepted a file takes the rest.
        case .data, .complete: break
        }
    }

    private func offered(_ offer: IncomingOffer, _ state: inout SessionState) async {
        let inbox = settings.inbox
        tell(.fileOffered(name: offer.name, localName: offer.localName, size: offer.size, isAccepted: inbox != nil))
        guard let inbox, let peer = state.peer else {
            try? await connection.refuseFile(offer.file)
            return
        }
        state.offered.add(offer.file, offer.name)
        let receiver = FileReceiver(
            session: self, offer: offer, sender: peer.key, inbox: inbox, names: state.offered, places: state.places)
        state.receiving.start { await receiver.run() }
    }

    func receive(_ stream: StreamID, named name: String, _ state: inout SessionState) async {
        guard let outlet = settings.outlet, outlet.claim(name) else {
            try? await connection.stopStream(stream, code: StreamCode.unwanted)
            try? await connection.resetStream(stream, code: StreamCode.unwanted)
            return
        }
        let writer = StreamWriter(session: self, stream: stream, outlet: outlet)
        state.receiving.start { await writer.run() }
    }
}
