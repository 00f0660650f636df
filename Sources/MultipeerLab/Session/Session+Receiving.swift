import MultipeerCommandLine
import MultipeerCore
import MultipeerCrypto
import MultipeerNIO
import MultipeerTransfers
import MultipeerWire

/// Files and streams that the peer begins.
extension Session {
    func offered(_ offer: IncomingOffer, _ state: inout SessionState) async {
        let inbox = settings.inbox
        // Nobody is asked, so nobody has seen a name that begins with a full stop (R15.5-3).
        let localName = SanitizedFileName.visible(offer.localName)
        tell(.fileOffered(name: offer.name, localName: localName, size: offer.size, isAccepted: inbox != nil))
        guard let inbox, let peer = state.peer else { return await state.transfers.decline(offer) }
        let receiver = FileReceiver(
            session: self, offer: offer, sender: peer.key, inbox: inbox, transfers: state.transfers)
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
