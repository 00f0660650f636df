import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerDefaults
import MultipeerNIO
import MultipeerSodium
import NIOPosix

// Ben listens on a TCP port of this computer, and Anna connects. Each remembers the other's key from now on.
let (crypto, sodium) = (try CryptoProvider.standard(), try SodiumProvider.standard())
let threads = MultiThreadedEventLoopGroup.singleton
var options = LinkOptions(random: sodium.random)
options.validator = TrustOnFirstUseValidator(store: InMemoryKnownPeers())

func configuration(named name: String) throws -> LinkConfiguration {
    var random: any RandomSource = sodium.random
    let identity = try SodiumIdentity(random: &random, provider: sodium)
    return LinkConfiguration(identity: identity, displayName: try DisplayName(name), crypto: crypto)
}

let listener = try await LinkListener.bind(
    to: .loopback, configuration: configuration(named: "Ben"), options: options, eventLoopGroup: threads)
let anna = try await LinkConnector.connect(
    to: listener.localEndpoint, configuration: configuration(named: "Anna"), options: options, eventLoopGroup: threads)
try await anna.invite(OutgoingInvitation(terms: SessionTerms()))
async let sending: Void = {
    for await event in anna.events { if case .opened = event { try await anna.send(Array("hello".utf8)) } }
}()
for await ben in listener.connections.prefix(1) {
    for await event in ben.events {
        if case .invited(let token, _) = event { try await ben.accept(token, with: SessionTerms()) }
        if case .message(let bytes) = event { print("Ben got:", String(decoding: bytes, as: UTF8.self)) }
        if case .message = event { ben.close() }
    }
}
try await sending
await listener.shutdown()
