import Multipeer

let me = try await Peer.load(named: CommandLine.arguments[1])  // the identity from the user's store
let session = Session(of: me, trust: .firstUse, encryption: .required)
let advertiser = Advertiser(of: me, for: .multipeer)
try await advertiser.start()
for await invitation in advertiser.invitations {
    print("\(invitation.name) invites you. Accept? [y/N]")
    if readLine() == "y", invitation.accept(into: session) { break }  // Any other answer declines.
}
for await event in session.events {
    if case .message(let text, let peer) = event { print("\(peer.name): \(text)") }
}
