import Foundation
import MultipeerConnectivity
import MultipeerTestSupport
import Synchronization
import Testing

@Suite("Rules 5 to 7: encryption and certificates", .endsIfItHangs)
struct SecurityRuleTests {
    @Test("init(peer:) means no identity, and encryption required")
    func usual() {
        let id = MCPeerID(displayName: "Anna")
        let session = MCSession(peer: id)
        #expect(session.myPeerID == id && session.securityIdentity == nil)
        #expect(session.encryptionPreference == .required && session.connectedPeers.isEmpty)
        #expect(session.trustPolicy == .acceptNewcomers)
        #expect(session.maximumNumberOfPeers == kMCSessionMaximumNumberOfPeers)
    }

    private static let preferences: [MCEncryptionPreference] = [.optional, .required, .none]

    @Test("Every identity goes with every encryption")
    func combinations() throws {
        let authority = try TestAuthority()
        for identity in [nil, try Self.identity(of: try authority.issue(), under: authority)] {
            for preference in Self.preferences {
                let session = MCSession(
                    peer: MCPeerID(displayName: "Anna"), securityIdentity: identity, encryptionPreference: preference)
                #expect(session.encryptionPreference == preference)
                #expect(session.securityIdentity?.count == identity?.count)
            }
        }
    }

    @Test(
        "Required and none do not connect, and all other pairs do",
        arguments: preferences.flatMap { one in preferences.map { (one, $0) } })
    func encryption(ours: MCEncryptionPreference, theirs: MCEncryptionPreference) async throws {
        let (anna, ben) = (Device("Anna", encryption: ours), Device("Ben", encryption: theirs))
        let isRefused = Set([ours, theirs]) == [.required, .none]
        guard isRefused else {
            try await Device.connect(anna, ben)
            try anna.send("hello", to: ben)
            return try await eventually { ben.told.texts(from: anna.id) == ["hello"] }
        }
        try await Device.begin(anna, ben)
        try await eventually {
            anna.told.states(of: ben.id).last == .notConnected && ben.told.states(of: anna.id).last == .notConnected
        }
        // Both peers hear why.
        #expect(anna.told.reasons(for: ben.id).map(\.kind).contains(.encryptionMismatch))
        #expect(ben.told.reasons(for: anna.id).map(\.kind).contains(.encryptionMismatch))
        #expect(anna.connected == [] && ben.connected == [])
    }

    // MARK: Certificates

    private static func identity(of leaf: TestAuthority, under authority: TestAuthority) throws -> [Any] {
        let chain = try Scratch()
        let (own, parent) = (try Scratch.read(leaf.certificateFile), try Scratch.read(authority.certificateFile))
        let file = try chain.write("chain.pem", own + parent)
        return try MCSecurityIdentity.securityIdentity(
            certificatesAt: URL(fileURLWithPath: file), privateKeyAt: URL(fileURLWithPath: leaf.keyFile))
    }

    @Test("Each delegate gets the remote peer's chain, its own certificate first; nil if there is none")
    func chains() async throws {
        let authority = try TestAuthority()
        let leaf = try authority.issue()
        let seen = Mutex<[String: [Data]?]>([:])
        func judge(_ name: String) -> @Sendable ([Any]?, @escaping @Sendable (Bool) -> Void) -> Void {
            { certificates, answer in
                let chain = certificates?.compactMap { ($0 as? MCCertificate)?.derBytes }
                seen.withLock { $0[name] = .some(chain) }
                answer(true)
            }
        }
        let identity = try Self.identity(of: leaf, under: authority)
        let anna = Device("Anna", identity: identity, judge: judge("of Ben"))
        let ben = Device("Ben", judge: judge("of Anna"))
        try await Device.connect(anna, ben)
        let expected = [Data(try leaf.certificate.der), Data(try authority.certificate.der)]
        #expect(seen.withLock { $0["of Anna"] } == .some(expected))
        #expect(seen.withLock { $0["of Ben"] } == .some(nil))
        #expect((anna.session.securityIdentity?.first as? MCSecurityIdentity)?.certificate.derBytes == expected[0])
    }

    private enum Form: CaseIterable { case pem, pkcs8, sec1 }

    private static func der(_ key: String, _ form: Form) throws -> Data {
        let scratch = try Scratch()
        try Tool.check(
            "openssl", [form == .sec1 ? "ec" : "pkey", "-in", key, "-outform", "DER", "-out", scratch / "key.der"])
        return Data(try scratch.read("key.der"))
    }

    @Test(
        "An identity comes from memory too, as PEM or DER, and shows the same as one from files",
        arguments: Form.allCases)
    private func memory(form: Form) async throws {
        let authority = try TestAuthority()
        let leaf = try authority.issue()
        let (certificate, key) = (try Scratch.read(leaf.certificateFile), try Scratch.read(leaf.keyFile))
        let identity =
            switch form {
            case .pem: try MCSecurityIdentity.securityIdentity(certificates: Data(certificate), privateKey: Data(key))
            case .pkcs8, .sec1:
                try MCSecurityIdentity.securityIdentity(
                    certificates: Data(try leaf.certificate.der), privateKey: try Self.der(leaf.keyFile, form))
            }
        let shown = Mutex<[Data]?>(nil)
        let ben = Device("Ben") { chain, answer in
            shown.withLock { $0 = chain?.compactMap { ($0 as? MCCertificate)?.derBytes } }
            answer(true)
        }
        let anna = Device("Anna", identity: identity)
        try await Device.connect(anna, ben)
        #expect(shown.withLock { $0 } == [Data(try leaf.certificate.der)])
    }

    @Test("An identity of another key, of no key and of no certificate is an invalid parameter")
    func wrongMemory() throws {
        let authority = try TestAuthority()
        let (one, other) = (try authority.issue(), try authority.issue())
        let (certificate, key) = (try Scratch.read(one.certificateFile), try Scratch.read(other.keyFile))
        for (certificates, key) in [(certificate, key), (certificate, []), ([], key), (Array("no".utf8), key)] {
            let error = #expect(throws: MCError.self) {
                try MCSecurityIdentity.securityIdentity(certificates: Data(certificates), privateKey: Data(key))
            }
            #expect(error?.code == .invalidParameter)
        }
        #expect(throws: MCError.self) { try MCSecurityIdentity.selfSigned(named: "") }
        #expect(throws: MCError.self) { try MCSecurityIdentity.selfSigned(named: "Anna", validForDays: 0) }
    }

    @Test("A certificate of the app's own connects, and the peer recognises its key")
    func selfSigned() async throws {
        let identity = try MCSecurityIdentity.selfSigned(named: "Anna")
        let shown = Mutex<[String?]>([])
        let ben = Device("Ben") { chain, answer in
            shown.withLock { $0.append((chain?.first as? MCCertificate)?.keyFingerprint) }
            answer(true)
        }
        let anna = Device("Anna", identity: identity)
        for _ in 1...2 {
            try await Device.connect(anna, ben)
            anna.session.disconnect()
            try await eventually { ben.told.states(of: anna.id).last == .notConnected }
        }
        let fingerprint = (identity.first as? MCSecurityIdentity)?.certificate.keyFingerprint
        #expect(fingerprint != nil && shown.withLock { $0 } == [fingerprint, fingerprint])
        let second = try MCSecurityIdentity.selfSigned(named: "Anna")
        #expect((second.first as? MCSecurityIdentity)?.certificate.keyFingerprint != fingerprint)
    }

    @Test("A refused peer is not connected, and both are notified why; it can come again")
    func refused() async throws {
        let isTrusted = Mutex(false)
        let anna = Device("Anna")
        let ben = Device("Ben") { _, answer in answer(isTrusted.withLock { $0 }) }
        try await Device.begin(anna, ben)
        try await eventually {
            anna.told.states(of: ben.id).last == .notConnected && ben.told.states(of: anna.id).last == .notConnected
        }
        #expect(anna.told.reasons(for: ben.id).first?.kind == .notTrusted)
        #expect(ben.told.reasons(for: anna.id).first?.kind == .notTrusted)
        isTrusted.withLock { $0 = true }
        try await Device.connect(anna, ben)
    }

    @Test("Each of many refused peers is notified at once, however the invitations have crossed")
    func refusedByTheDozen() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...64 { group.addTask { try await Self.refuseOnce() } }
            try await group.waitForAll()
        }
    }

    private static func refuseOnce() async throws {
        let (anna, ben) = (Device("Anna"), Device("Ben") { _, answer in answer(false) })
        try await Device.begin(anna, ben)
        try await eventually { !anna.told.reasons(for: ben.id).isEmpty && !ben.told.reasons(for: anna.id).isEmpty }
        #expect(anna.told.reasons(for: ben.id).map(\.kind) == [.notTrusted])
        #expect(ben.told.reasons(for: anna.id).map(\.kind) == [.notTrusted])
    }

    @Test("Only the first answer counts, from whatever queue it comes")
    func answeredTwice() async throws {
        let (anna, ben) = (
            Device("Anna"),
            Device("Ben") { _, answer in
                DispatchQueue.global().async {
                    answer(true)
                    answer(false)
                }
            }
        )
        try await Device.connect(anna, ben)
        let (cleo, dora) = (
            Device("Cleo"),
            Device("Dora") { _, answer in
                answer(false)
                answer(true)
            }
        )
        try await Device.begin(cleo, dora)
        try await eventually { cleo.told.states(of: dora.id).last == .notConnected }
        #expect(dora.connected == [])
    }

    @Test("A dropped answer is a refusal")
    func dropped() async throws {
        let (anna, ben) = (Device("Anna"), Device("Ben") { _, _ in })
        try await Device.begin(anna, ben)
        try await eventually { anna.told.states(of: ben.id).last == .notConnected }
        #expect(ben.connected == [] && anna.connected == [])
    }

    @Test("A missing answer is a refusal once the invitation's time is over, for both peers")
    func unanswered() async throws {
        let service = Neighbour.service()
        let clock = ManualClock()
        let kept = Mutex<[@Sendable (Bool) -> Void]>([])
        let ben = Neighbour(
            Device("Ben", clock: clock) { _, answer in kept.withLock { $0.append(answer) } }, service: service)
        let anna = Neighbour(Device("Anna", clock: ManualClock()), service: service)
        for neighbour in [anna, ben] { neighbour.start() }
        try await anna.invite(ben, timeout: 5)
        try await eventually { kept.withLock { $0.count } == 1 }
        try await eventually { clock.isAwaited(in: .seconds(5)) }
        clock.advance(by: .seconds(5))
        for (one, other) in [(anna, ben), (ben, anna)] {
            try await eventually { one.device.told.states(of: other.device.id).last == .notConnected }
            #expect(one.device.told.reasons(for: other.device.id).map(\.kind) == [.notTrusted])
        }
        for answer in kept.withLock({ $0 }) { answer(true) }
        #expect(anna.device.connected.isEmpty && ben.device.connected.isEmpty)
        for neighbour in [anna, ben] { neighbour.stop() }
    }

    @Test("Without the method a known name with another key is another peer, as after a restart with a new peer ID")
    func newcomers() async throws {
        let anna = Device("Anna")
        for _ in 1...3 {
            let ben = Device("Ben")
            try await Device.connect(anna, ben)
            ben.session.disconnect()
            try await eventually { anna.told.states(of: ben.id).last == .notConnected }
        }
        // However many have come: nobody is refused for what others have used up.
        let others = (1...12).map { Device("Peer \($0)") }
        for other in others {
            try await Device.connect(anna, other)
            other.session.disconnect()
        }
        try await Device.connect(anna, Device("Ben"))
    }

    @Test("By the policy of first use, a known name with another key is refused, unless everybody is accepted by name")
    func policy() async throws {
        let anna = Device("Anna")
        anna.session.trustPolicy = .trustOnFirstUse
        try await Device.connect(anna, Device("Ben"))
        let impostor = Device("Ben")
        try await Device.begin(anna, impostor)
        try await eventually {
            anna.told.states(of: impostor.id).last == .notConnected
                && impostor.told.states(of: anna.id).last == .notConnected
        }
        #expect(anna.told.reasons(for: impostor.id).first?.kind == .notTrusted)
        anna.session.trustPolicy = .acceptEveryPeerUnverified
        try await Device.connect(anna, impostor)
    }

    @Test("Peers are remembered in the file that the app names")
    func remembered() async throws {
        let scratch = try Scratch()
        let place = MCTrustPolicy.trustOnFirstUseRemembered(in: URL(fileURLWithPath: scratch / "known/peers"))
        let id = MCPeerID(displayName: "Anna")
        let anna = Device("Anna", peer: id)
        anna.session.trustPolicy = place
        try await Device.connect(anna, Device("Ben"))
        anna.session.disconnect()
        // The next run.
        let later = Device("Anna", peer: id)
        later.session.trustPolicy = place
        let impostor = Device("Ben")
        try await Device.begin(later, impostor)
        try await eventually { later.told.states(of: impostor.id).last == .notConnected }
        #expect(later.told.reasons(for: impostor.id).first?.kind == .notTrusted)
    }
}
