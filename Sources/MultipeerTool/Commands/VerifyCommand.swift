import ArgumentParser
import Multipeer
import MultipeerCertificates
import MultipeerCommandLine
import MultipeerCrypto
import MultipeerDiscovery
import MultipeerStorage
import MultipeerTerminal
import MultipeerWire

/// `multipeer verify`
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify the key of a peer nearby: both screens show digits and words, which two people compare.",
        usage: "multipeer verify [<peer>] [<options>]",
        discussion: """
            Run it at both peers; one of them names the other. Both people have to see or hear each other. Each says whether both \
            screens show the same, and then each peer remembers the other one's key as verified.

            Examples:
              multipeer verify
              multipeer verify Ben
            """)

    /// What is advertised by the peer that waits, and the context of the invitation.
    private static let mark = "verify"

    @Argument(
        help: ArgumentHelp(
            "The peer: its name, the beginning of its tag or key, or HOST:PORT. Without it, the peer finds this one.",
            valueName: "peer"),
        completion: .knownPeerOrAddress, transform: PeerArgument.parse)
    var peer: PeerArgument?

    @Option(
        help: ArgumentHelp("How long to look for the peer (default: 30).", valueName: "seconds"),
        transform: Arguments.timeout)
    var within: Duration = .seconds(30)

    @OptionGroup var nearby: NearbyOptions

    func run() async throws {
        let command = self
        try await nearby.output.run(servesLinks: true) { output throws(CommandFailure) in
            guard LineInput.isPossible else {
                throw CommandFailure(
                    "verification", "there is nobody to compare, because standard input is not a terminal",
                    remedy: "Run it at a terminal, or verify by a code: multipeer pair", .usage)
            }
            return try await command.nearby.serve(output) { await command.failure($0, output) }
        }
    }

    private func failure(_ own: Peer, _ output: Output) async -> CommandFailure? {
        do throws(CommandFailure) {
            // A peer that is met only to compare is remembered once the person has confirmed.
            let known = TentativeKnownPeers(KnownPeersFile(path: try nearby.store.open().knownPeersPath))
            let session = Multipeer.Session(of: own, trust: .validator(TrustOnFirstUseValidator(store: known)))
            do throws(CommandFailure) {
                if let peer { try await find(peer, session, output) } else { try await wait(session, output) }
            } catch {
                await session.leave()
                throw error
            }
            await session.leave()
            return nil
        } catch {
            return error
        }
    }

    // MARK: Both peers

    private func find(
        _ peer: PeerArgument, _ session: Multipeer.Session, _ output: Output
    ) async throws(CommandFailure) {
        try await nearby.finding.look(as: session.peer) { browser throws(CommandFailure) in
            let picker = PeerPicker(browser: browser, output: output, patience: within, purpose: .verify)
            let target = try await RemotePeer.find(nil, named: peer, by: picker)
            let member: Member
            do throws(MultipeerError) {
                member = try await target.invite(
                    to: session, by: browser, context: Self.mark, asking: NameQuestion(output: output))
            } catch {
                throw target.failure(error)
            }
            output.report(ChatEvent.connected(member))
            try await ComparisonRun(session: session, output: output).run(with: member)
        }
    }

    private func wait(_ session: Multipeer.Session, _ output: Output) async throws(CommandFailure) {
        let advertiser = Advertiser(
            of: session.peer, for: nearby.service, info: [Self.mark: "1"], encryption: .required,
            by: try nearby.start())
        try await advertiser.begin(telling: output, by: nearby.finding)
        var events = session.events.makeAsyncIterator()
        for await incoming in advertiser.invitations {
            guard incoming.context == Array(Self.mark.utf8), incoming.accept(into: session) else {
                incoming.decline()
                continue
            }
            guard let member = await Self.connected(&events) else { continue }
            await advertiser.stop()
            output.report(ChatEvent.connected(member))
            return try await ComparisonRun(session: session, output: output).run(with: member)
        }
    }

    /// Waits until the peer that was accepted is connected; nil if that fails.
    private static func connected(_ events: inout SessionEvents.Iterator) async -> Member? {
        while let event = await events.next() {
            switch event {
            case .connected(let member): return member
            case .failed, .disconnected: return nil
            default: break
            }
        }
        return nil
    }
}
