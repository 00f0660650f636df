import Foundation
import Multipeer

// A chat of many: everybody is connected with everybody. Usage: Chat NAME LISTEN-ADDRESS [ADDRESS-OF-A-MEMBER]
let arguments = CommandLine.arguments
let me = try await Peer.load(named: arguments[1])  // the identity from the user's store
let session = Session(of: me, trust: .firstUse, encryption: .required)
print("listening at \(try await session.listen(at: Endpoint(parsing: arguments[2])))")
Task { for await invitation in session.invitations { invitation.accept(into: session) } }
if arguments.count > 3 { try await session.join(Endpoint(parsing: arguments[3])) }
let lines = AsyncStream { await withCheckedContinuation { it in Thread { it.resume(returning: readLine()) }.start() } }
Task {
    for await line in lines {
        do { try await session.send(line) } catch { print(error) }
    }
    await session.leave()
}
for await event in session.events {
    switch event {
    case .connected(let peer): print("\(peer.name) is here")
    case .message(let text, let peer): print("\(peer.name): \(text)")
    case .disconnected(let peer, let reason): print("\(peer.name) is gone: \(reason)")
    default: break
    }
}
await me.shutDown()
