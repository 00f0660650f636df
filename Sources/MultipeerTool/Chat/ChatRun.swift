import Multipeer
import MultipeerClock
import MultipeerCommandLine
import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import MultipeerNIO
import MultipeerTerminal
import MultipeerTransfers
import MultipeerWire

/// Runs one chat: its connections, its events, and what is typed.
struct ChatRun: Sendable {
    let session: Multipeer.Session
    /// Where files go; nil for a peer that takes none.
    let inbox: DownloadDirectory?
    let policy: TrustPolicy
    let output: Output
    /// The encryption that the local peer wants.
    let encryption: EncryptionPreference
    /// The peers that are let in.
    let acceptance: ChatAcceptance
    /// Whether the chat lasts until a signal, whatever peers are in it.
    let stays: Bool
    var clock: any SteadyClock = ContinuousClock()
    let comparisons = OpenComparisons()
    let invitations = OpenInvitations()
    let deliveries = OpenDeliveries()
    /// The peers that the local peer is inviting.
    let wanted = WantedPeers()

    // MARK: Connecting

    func listen(at endpoint: Endpoint, isEphemeral: Bool) async throws(CommandFailure) {
        do throws(MultipeerError) {
            let place = try await session.listen(at: endpoint)
            answerAll(session.invitations)
            let remoteCommand = { @Sendable (address: Endpoint) in "multipeer chat \(address.shellWord)" }
            output.report(
                ListeningEvent(
                    place, session.peer.id, isEphemeral: isEphemeral,
                    remoteCommand: acceptance == .none ? nil : remoteCommand))
        } catch {
            throw CommandFailure(error, listeningAt: endpoint)
        }
    }

    // MARK: Events

    /// Takes the events until the session is left.
    func takeEvents() async {
        let work = SideWork()
        for await event in session.events {
            switch event {
            case .connecting(let peer): report(.connecting(peer))
            case .connected(let member): report(.connected(member))
            case .reconnecting(let member): report(.reconnecting(member))
            case .disconnected(let member, let reason):
                report(.disconnected(member.id, reason))
                nameUndelivered(by: member.id)
                let confirmed = comparisons.takeConfirmed(member.id)
                if reason.isDenial, let confirmed { output.warn(await confirmed.run()) }
            case .failed(let peer, let reason): report(.disconnected(peer, reason))
            case .message(let message, let member): report(.message(message.bytes, member))
            case .file(let file): await offered(file, work)
            // Nobody here wants one.
            case .stream: break
            case .comparisonWanted(let member): report(.comparisonWanted(member))
            case .verified(let member): report(.verified(member))
            case .warning(let warning):
                output.warn(warning.text)
                if case .undelivered(let peer, _) = warning { nameUndelivered(by: peer) }
            }
            await output.waitForRoom()
        }
        _ = await work.finish()
    }

    private func report(_ event: ChatEvent) { output.report(event) }

    /// Names what was written to a peer and did not arrive.
    private func nameUndelivered(by peer: PeerID) {
        for (message, result) in deliveries.takeUndelivered(by: peer) {
            report(.messageUndelivered(peer, message, result))
        }
    }

    private func offered(_ file: OfferedFile, _ work: SideWork) async {
        report(.fileOffered(file, localName: file.visibleName, inbox != nil ? .accepted : .declined))
        guard let inbox else {
            output.warn("files are declined: a chat that begins with --save DIR takes them")
            return await file.decline()
        }
        work.start {
            // What fails here does not end the chat.
            _ = await file.accept(into: inbox.directory, telling: output)
            return nil
        }
    }

    // MARK: What is typed

    func takeInput(leavesAtEnd: Bool) async {
        let work = SideWork()
        if output.isLive, LineInput.isPossible {
            let input = LineInput(on: output.screen, limit: InputLines.longestLine)
            for await line in input.lines("> ") { await take(line, work) }
        } else {
            for await line in InputLines() { await take(line, work) }
        }
        _ = await work.finish()
        if leavesAtEnd { await session.leave() }
    }

    private func take(_ line: String, _ work: SideWork) async {
        switch ChatLine(line) {
        case .message(let text): await send(text)
        case .who: for member in session.connectedPeers { report(.member(member)) }
        case .send(let name, let path): sendFile(path, to: name, work)
        case .compare(let name): compare(with: name, work)
        case .answer(let isSame, let name): await answer(isSame, name)
        case .letIn(let isAccepted, let name): letIn(isAccepted, name)
        case .unknown(let text):
            output.warn(
                "there is no command \(SafeText.escape(text)); /who, /send NAME PATH, /verify NAME, /same NAME, "
                    + "/differ NAME, /accept NAME, /decline NAME; //TEXT is a message that begins with a slash")
        }
    }

    private func send(_ text: String) async {
        let message = Array(text.utf8)
        do throws(SendError) {
            deliveries.add(try await session.send(message), of: message)
        } catch {
            deliveries.add(error.deliveries, of: message)
            for failure in error.failures { report(.messageFailed(failure.peer, failure.reason)) }
        }
    }

    /// The member that is meant by a name, or by the beginning of its key.
    private func member(_ name: String) -> Member? {
        let digits = name.lowercased()
        let keyed = session.connectedPeers.filter { $0.id.key.description.hasPrefix(digits) }
        let named = TypedName.meant(by: name, among: session.connectedPeers) { [$0.name] }
        let members = named + keyed.filter { !named.contains($0) }
        guard let member = members.first, members.count == 1 else {
            let problem = members.isEmpty ? "nobody here is" : "several here are"
            output.warn("\(problem) called \(SafeText.escape(name)): /who lists all, with the beginning of the key")
            return nil
        }
        return member
    }

    /// The person's answer to a peer that wants to be let in.
    private func letIn(_ isAccepted: Bool, _ name: String) {
        let digits = name.lowercased()
        let named =
            TypedName.meant(by: name, among: invitations.peers) { [$0.displayName?.description].compactMap(\.self) }
            + invitations.peers.filter { $0.key.description.hasPrefix(digits) }
        guard let peer = named.first, Set(named).count == 1 else {
            return output.warn(
                named.isEmpty
                    ? "nobody called \(SafeText.escape(name)) waits to be let in"
                    : "several called \(SafeText.escape(name)) wait: say the digits of one, "
                        + named.map { String($0.key.description.prefix(16)) }.joined(separator: " or "))
        }
        invitations.answer(peer, isAccepted: isAccepted)
    }

    // MARK: Verification

    private func compare(with name: String, _ work: SideWork) {
        guard let member = member(name) else { return }
        output.note { _ in "waiting for \(SafeText.escape(member.name)) to compare as well" }
        work.start {
            do throws(MultipeerError) {
                let comparison = try await session.compare(with: member.id)
                comparisons.add(comparison)
                report(.comparison(comparison, answers: true))
            } catch {
                output.warn(SafeText.escape("\(error)"))
            }
            return nil
        }
    }

    /// What the person says of a string that is on the screen.
    private func answer(_ isSame: Bool, _ name: String) async {
        guard let member = member(name) else { return }
        guard let comparison = comparisons.take(member.id) else {
            return output.warn(
                "there is nothing to compare with \(SafeText.escape(name)): /verify \(SafeText.escape(name))")
        }
        guard isSame else { return await comparison.deny() }
        do throws(MultipeerError) {
            comparisons.confirmed(try await comparison.confirmForNow(by: session.peer))
        } catch {
            output.warn(SafeText.escape("\(error)"))
        }
    }

    private func sendFile(_ path: String, to name: String, _ work: SideWork) {
        guard let member = member(name) else { return }
        work.start {
            _ = await session.sendFile(path, to: member.id, by: .session, telling: output)
            return nil
        }
    }
}
