import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerDefaults
import MultipeerSodium

// Two peers in one process. A link does no input or output, so that the bytes go by hand.
let crypto = try CryptoProvider.standard()
let sodium = try SodiumProvider.standard()
let now = Instant(nanoseconds: 0)

func makeLink(_ role: LinkRole, named name: String) throws -> Link {
    var random: any RandomSource = sodium.random
    let identity = try SodiumIdentity(random: &random, provider: sodium)
    let configuration = LinkConfiguration(identity: identity, displayName: try DisplayName(name), crypto: crypto)
    return Link(role: role, configuration: configuration, random: sodium.random, now: now)
}

/// Reacts to what has happened, and returns the bytes for the remote peer.
func drain(_ link: inout Link) throws -> [UInt8] {
    while let effect = link.nextEffect() {
        if case .invited(let token, _) = effect { try link.accept(token, with: SessionTerms(), at: now) }
        // These peers have no certificates, and both keys were made above.
        if case .verify(let id, _) = effect { try link.submitVerdict(.accepted(.application), for: id, at: now) }
        if case .opened = effect, link.role == .initiator { try link.send(Array("hello".utf8), at: now) }
        if case .message(let bytes) = effect { print("Ben got:", String(decoding: bytes, as: UTF8.self)) }
    }
    return [UInt8](capacity: 65_535) { output in link.transmit(into: &output, at: now) }
}

func run() throws {
    var anna = try makeLink(.initiator, named: "Anna")
    var ben = try makeLink(.responder, named: "Ben")
    try anna.invite(OutgoingInvitation(terms: SessionTerms()), at: now)
    for _ in 0..<10 {
        let fromAnna = try drain(&anna)
        ben.receive(fromAnna.span, at: now)
        let fromBen = try drain(&ben)
        anna.receive(fromBen.span, at: now)
    }
}

try run()
