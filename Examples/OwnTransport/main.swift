import Dispatch
import Glibc
import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerDefaults
import MultipeerSodium

/// Runs a link over a file descriptor: a pipe, a serial line, or whatever carries bytes in order.
@Sendable func runPeer(_ role: LinkRole, named name: String, over transport: Int32) throws {
    let (crypto, sodium) = (try CryptoProvider.standard(), try SodiumProvider.standard())
    var random: any RandomSource = sodium.random
    let identity = try SodiumIdentity(random: &random, provider: sodium)
    let configuration = LinkConfiguration(identity: identity, displayName: try DisplayName(name), crypto: crypto)
    var now: Instant { Instant(nanoseconds: DispatchTime.now().uptimeNanoseconds) }
    var link = Link(role: role, configuration: configuration, random: sodium.random, now: now)
    if role == .initiator { try link.invite(OutgoingInvitation(terms: SessionTerms()), at: now) }
    var input = [UInt8](repeating: 0, count: 65_535)
    while !link.isFinished {
        while let effect = link.nextEffect() {
            if case .invited(let token, _) = effect { try link.accept(token, with: SessionTerms(), at: now) }
            // A real app looks at the peer's key here, or at its certificate.
            if case .verify(let id, _) = effect { try link.submitVerdict(.accepted(.application), for: id, at: now) }
            if case .opened = effect { try link.send(Array("hello from \(name)".utf8), at: now) }
            if case .message(let bytes) = effect { print(name, "got:", String(decoding: bytes, as: UTF8.self)) }
            if case .message = effect { link.close(at: now) }
        }
        let output = [UInt8](capacity: 65_535) { bytes in link.transmit(into: &bytes, at: now) }
        if !output.isEmpty, write(transport, output, output.count) > 0 { continue }
        let count = read(transport, &input, input.count)  // comes back at least once a second, for the deadlines
        if count > 0 { link.receive(input.span.extracting(first: count), at: now) } else { link.timeout(at: now) }
        if count == 0 { link.receiveEnd(at: now) }
    }
}

var (ends, second) = ([Int32](repeating: -1, count: 2), timeval(tv_sec: 1, tv_usec: 0))
guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { fatalError("no socket pair") }
for end in ends { setsockopt(end, SOL_SOCKET, SO_RCVTIMEO, &second, socklen_t(MemoryLayout<timeval>.size)) }
let (annasEnd, bensEnd) = (ends[0], ends[1])
let ben = Task.detached { try runPeer(.responder, named: "Ben", over: bensEnd) }
try runPeer(.initiator, named: "Anna", over: annasEnd)
try await ben.value
