import ArgumentParser
import Multipeer
import MultipeerCommandLine
import MultipeerCrypto
import MultipeerDiscovery
import MultipeerNIO

/// `multipeer doctor`
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look for what keeps peers from each other, and say the remedy.",
        discussion: """
            Looks at interfaces, multicast, the Avahi daemon, ports, firewalls, the clock, certificates, the store, a peer, and \
            the policies of both peers. Exit status: 0 without problems, 1 with some. docs/doctor.md shows its output.

            Examples:
              multipeer doctor
              multipeer doctor --peer desk.local:4711
              multipeer doctor --only multicast --only firewall
            """)

    @Option(
        help: ArgumentHelp(
            "Look at this interface only. Repeatable (default: $MULTIPEER_INTERFACE, or all).", valueName: "name"))
    var interface: [String] = []

    @Option(help: "The local TCP port to listen at.")
    var port: UInt16?

    @Option(
        help: ArgumentHelp("Connect to this peer, and close before an invitation.", valueName: "address"),
        transform: Arguments.endpoint)
    var peer: Endpoint?

    @Flag(help: "With --peer, also invite it, to learn whether policies agree. A person there may be asked.")
    var invite = false

    @Option(
        help: ArgumentHelp("With --peer, the ID that the peer must have.", valueName: "peer-id"),
        transform: Arguments.peerID)
    var expect: IdentityKey?

    @Option(help: ArgumentHelp("Make this check only. Repeatable.", valueName: "check"))
    var only: [CheckName] = []

    @OptionGroup var policy: PolicyOptions
    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard peer != nil || !invite && expect == nil else {
            throw ValidationError("--invite and --expect require --peer.")
        }
        guard port != 0 else { throw ValidationError("A port is a number from 1 to 65535.") }
    }

    func run() async throws {
        let command = self
        try await output.run { output throws(CommandFailure) in await command.examine(output) }
    }

    private func examine(_ output: Output) async -> ExitStatus {
        let marks = Marks.ofLocale
        var diagnosis = Diagnosis()
        await Examination.run(checks.filter { only.isEmpty || only.contains($0.name) }) { result in
            diagnosis.add(result)
            output.report(CheckReport(result: result, marks: marks))
        }
        output.report(diagnosis)
        return diagnosis.status
    }

    private var checks: [any Check] {
        let view = NetworkView(InterfaceSelection(asked: interface))
        let both = DoctorPolicy(options: policy, expected: expect, store: store)
        let asksPeer = only.isEmpty || only.contains(.peer) || only.contains(.policy)
        let contact = asksPeer ? peer.map { PeerProbe(address: $0, invites: invite, policy: both) } : nil
        let meeting = contact.map { probe in Task { await probe.run() } }
        let folder = (try? store.open())?.directory
        return [
            InterfacesCheck(view: view, isAskedByOption: !interface.isEmpty), MulticastCheck(view: view),
            DaemonCheck(view: view), PortsCheck(port: port), FirewallCheck(view: view, port: port),
            ClockCheck(places: folder.map { [$0] } ?? []),
            CertificatesCheck(certificate: policy.certificate, key: policy.key, trust: policy.trust.trust),
            StoreCheck(options: store), PeerCheck(address: peer, contact: meeting),
            PolicyCheck(policy: both, contact: meeting), TerminalCheck(),
        ]
    }
}
