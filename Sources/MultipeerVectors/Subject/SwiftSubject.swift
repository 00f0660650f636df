internal import MultipeerCrypto

/// This project's own implementation, in the same process.
public final class SwiftSubject: VectorSubject {
    let crypto: SwiftCrypto
    private var links: [Int: any ScriptedSubject] = [:]
    private var lastLink = 0
    /// What the generator finds wrong with it.
    let faults = FaultList()

    /// Starts the cryptographic libraries.
    public init() throws(SubjectFault) {
        do { crypto = try SwiftCrypto() } catch { throw .fault("\(error)") }
    }

    /// The features of this implementation.
    public static let features = [
        "datagrams", "mlkem768", "suite-aesgcm", "verification", "x509", "x509-ed25519", "x509-p256", "x509-p384",
        "x509-rsa",
    ]

    public func lacking(_ features: [String]) -> [String] { features.filter { !Self.features.contains($0) } }

    public func test(
        _ group: VectorGroupType, params: JSONValue, inputs: JSONValue
    ) throws(SubjectFault) -> SubjectAnswer {
        let (params, inputs) = (Arguments(params, "params"), Arguments(inputs, "inputs"))
        return switch group {
        case .varint: try WireGroups.varint(inputs)
        case .frames: try WireGroups.frames(inputs)
        case .recordStream: try RecordStreamGroup.run(params, inputs)
        case .initiatorHello: try WireGroups.initiatorHello(inputs)
        case .responderHello: try WireGroups.responderHello(inputs)
        case .refusal: try WireGroups.refusal(inputs)
        case .controlFrame: try FrameGroups.control(params, inputs)
        case .payloadFrame: try FrameGroups.payload(params, inputs)
        case .fileName: try NameGroups.fileName(inputs)
        case .displayName: try NameGroups.displayName(inputs)
        case .responderChoice: try NameGroups.responderChoice(params, inputs, crypto)
        case .initiatorCheck: try NameGroups.initiatorCheck(params, inputs)
        case .handshake: try HandshakeGroup(crypto: crypto).run(params, inputs)
        case .proof: try ProofGroup(crypto: crypto).run(params, inputs)
        case .recordProtection: try ProtectionGroups(crypto: crypto).protection(params, inputs)
        case .rekey: try ProtectionGroups(crypto: crypto).rekey(params, inputs)
        case .encryptionPolicy: try NameGroups.encryptionPolicy(inputs)
        case .crossingInvitations: try NameGroups.crossing(inputs)
        case .sessionIdentifier: try NameGroups.sessionIdentifier(inputs, crypto)
        case .exporter: try ExporterGroup(crypto: crypto).run(inputs)
        case .resumeProof: try ResumeProofGroup(crypto: crypto).run(inputs)
        case .binding: try BindingGroup(crypto: crypto).run(inputs)
        case .messageAssembly: try MessageAssemblyGroup.run(params, inputs)
        case .charterParameters: try SessionGroups(crypto: crypto).charterParameters(inputs)
        case .admission: try SessionGroups(crypto: crypto).admission(inputs)
        case .rosterEntry: try SessionGroups(crypto: crypto).entry(inputs)
        case .roster: try SessionGroups(crypto: crypto).roster(inputs)
        case .manifest: try ManifestGroup.run(inputs)
        case .shortString: try PairingGroups(crypto: crypto).shortString(inputs)
        case .oneTimeCode: try PairingGroups(crypto: crypto).oneTimeCode(inputs)
        case .codeExchange: try CodeExchangeGroup(crypto: crypto).run(params, inputs)
        case .publication: try DiscoveryGroups(crypto: crypto).publication(inputs)
        case .advertisement: try DiscoveryGroups(crypto: crypto).advertisement(inputs)
        case .datagram: try DatagramGroup(crypto: crypto).run(params, inputs)
        case .linkScript, .session, .associationScript, .nodeScript, .datagramScript: .unimplemented
        }
    }

    public func makeLink(_ group: VectorGroupType, params: JSONValue) throws(SubjectFault) -> Int? {
        lastLink += 1
        let params = Arguments(params, "params")
        links[lastLink] =
            switch group {
            case .associationScript: try ScriptAssociation(params: params, crypto: crypto)
            case .nodeScript: try ScriptNode(params: params, crypto: crypto)
            case .datagramScript: try ScriptDatagrams(params: params, crypto: crypto)
            default: try ScriptLink(params: params, crypto: crypto)
            }
        return lastLink
    }

    private func link(_ number: Int) throws(SubjectFault) -> any ScriptedSubject {
        guard let link = links[number] else { throw .badQuestion("link \(number)") }
        return link
    }

    public func step(link number: Int, _ step: JSONValue) throws(SubjectFault) {
        try link(number).take(Arguments(step, "step"))
    }

    public func poll(link number: Int) throws(SubjectFault) -> LinkPoll { try link(number).poll() }

    public func free(link number: Int) throws(SubjectFault) { links[number] = nil }
}

/// What steps are played against.
protocol ScriptedSubject: AnyObject {
    func take(_ step: Arguments) throws(SubjectFault)
    func poll() throws(SubjectFault) -> LinkPoll
}

extension ScriptLink: ScriptedSubject {}
extension ScriptAssociation: ScriptedSubject {}
extension ScriptNode: ScriptedSubject {}
