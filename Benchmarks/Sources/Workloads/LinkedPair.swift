import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerGnuTLS
import MultipeerSodium
import MultipeerWire

/// How two peers prove who they are.
public enum ProofOfPeer: Sendable, CaseIterable {
    /// By their identity keys alone.
    case identityKeys
    /// With certificates as well, whose binding is verified; the app accepts without looking at the path.
    case certificates
    /// With certificates whose path is validated to an authority by both peers, as if for the first time.
    case validatedPaths
    /// The same among peers that have met before, so that GnuTLS has verified both paths already.
    case pathsSeenBefore

    /// Whether paths are validated.
    var validatesPaths: Bool { self == .validatedPaths || self == .pathsSeenBefore }
}

/// Two links in this process, joined by a piece of memory, driven as any embedder would.
public struct LinkedPair: ~Copyable {
    public private(set) var initiator: Link
    public private(set) var responder: Link
    private let terms: [SessionTerms]
    private let paths: GnuTLSPathValidator?
    private let now = Instant(nanoseconds: 0)
    /// What is on its way: as much as two records.
    private let wire = Wire()
    private var isOpen = [false, false]
    /// Protected records so far, and the bytes of their frames; counted if the configuration traces.
    public private(set) var records = (count: 0, bytes: 0)
    /// Bytes of messages that came.
    private var received = 0

    /// Two links that have not spoken yet.
    public init(
        _ peers: Peers, suite: Suite, proof: ProofOfPeer, encryption: EncryptionPreference = .required,
        paths: GnuTLSPathValidator?, traces: Bool = false
    ) throws {
        terms = peers.sides.map { side in
            SessionTerms(encryption: encryption, certificate: proof == .identityKeys ? nil : side.certificate)
        }
        self.paths = proof.validatesPaths ? paths : nil
        var configurations = [0, 1].map { peers.configuration($0, suite: suite) }
        configurations[0].tracesRecords = traces
        initiator = Link(
            role: .initiator, configuration: configurations[0], random: peers.sodium.random, now: now)
        responder = Link(
            role: .responder, configuration: configurations[1], random: peers.sodium.random, now: now)
        try initiator.invite(OutgoingInvitation(terms: terms[0]), at: now)
    }

    /// Carries bytes until both peers have opened.
    public mutating func open() throws {
        for _ in 0..<16 {
            try carry()
            if isOpen[0], isOpen[1] { return }
        }
        throw WorkloadFailure.link(nil)
    }

    /// Sends a message, and carries until the remote peer has it whole.
    @inline(never)
    public mutating func transfer(_ message: [UInt8]) throws {
        try transfer(message, burst: 1)
    }

    /// Sends a message `count` times at once, and carries until the remote peer has them all: those that wait share
    /// records.
    @inline(never)
    public mutating func transfer(_ message: [UInt8], burst: Int) throws {
        received = 0
        for _ in 0..<burst { try initiator.send(message, at: now) }
        repeat { try carry() } while initiator.hasOutput
        guard received == burst * message.count else { throw WorkloadFailure.wrongResult }
    }

    /// As ``transfer(_:)``, from the responder.
    public mutating func reply(_ message: [UInt8]) throws {
        received = 0
        try responder.send(message, at: now)
        repeat { try carry() } while responder.hasOutput
        guard received == message.count else { throw WorkloadFailure.wrongResult }
    }

    private mutating func carry() throws {
        if initiator.hasOutput {
            Self.carry(from: &initiator, to: &responder, over: wire, at: now)
            try react(1)
        }
        if responder.hasOutput {
            Self.carry(from: &responder, to: &initiator, over: wire, at: now)
            try react(0)
        }
    }

    private static func carry(
        from sender: inout Link, to receiver: inout Link, over wire: Wire, at now: Instant
    ) {
        var output = OutputSpan(buffer: wire.memory, initializedCount: 0)
        sender.transmit(into: &output, at: now)
        receiver.receive(output.span, at: now)
        _ = output.finalize(for: wire.memory)
    }

    private mutating func react(_ side: Int) throws {
        while let effect = side == 0 ? initiator.nextEffect() : responder.nextEffect() {
            switch effect {
            case .invited(let token, _):
                try responder.accept(token, with: terms[side], at: now)
            case .verify(let token, let evidence):
                let verdict = try judge(evidence)
                if side == 0 {
                    try initiator.submitVerdict(verdict, for: token, at: now)
                } else {
                    try responder.submitVerdict(verdict, for: token, at: now)
                }
            case .opened: isOpen[side] = true
            case .message(let message):
                received += message.count
                let credit = Link.messageCredit(ofLength: message.count)
                if side == 0 {
                    initiator.releaseCredit(credit, at: now)
                } else {
                    responder.releaseCredit(credit, at: now)
                }
            case .memoryWanted(let count):
                if side == 0 {
                    initiator.grantMemory(count, at: now)
                } else {
                    responder.grantMemory(count, at: now)
                }
            case .closed(.failed(let failure)): throw WorkloadFailure.link(failure)
            case .trace(let entry) where entry.counter != nil:
                records = (records.count + 1, records.bytes + entry.plaintext.count)
            case .closed, .identified, .invitationAccepted, .probeAnswered, .datagramPath, .datagram, .messages,
                .memoryReturned,
                .messageStalled, .stream, .incomingFile, .outgoingFile, .verification, .trace:
                break
            @unknown default: break
            }
        }
    }

    /// As `TrustAnchorValidator` judges, without its `await`: what is measured is work, not waiting.
    private func judge(_ evidence: PeerEvidence) throws -> Verdict {
        guard let paths else { return .accepted(.unverified) }
        guard let chain = evidence.chain else { return .rejected(.missing) }
        let path = try paths.validate(chain, requirements: PathRequirements())
        return .accepted(.trustAnchor(validFor: path.validFor))
    }
}

extension LinkedPair {
    /// Sends the same message both ways.
    public mutating func exchange(_ message: [UInt8]) throws {
        try transfer(message)
        try reply(message)
    }
}

/// The memory between two links.
private final class Wire {
    let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 2 * RecordHeader.maximumRecordLength)

    deinit { memory.deallocate() }
}
