import FuzzSupport
import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerWire

/// What the honest side's app does. Every misuse is foreseen.
extension FramesDuel {
    /// Asks the link. `change` is what the model does where it is allowed.
    private func request(
        _ name: String, isTimed: Bool = true, isAllowed: (ModelLink) -> Bool, _ body: (inout Link) throws -> Void,
        change: (inout ModelLink) -> Void
    ) throws {
        if isTimed { model.expire() }
        let allowed = isAllowed(model)
        var isMisuse = false
        do { try body(&link) } catch is RequestError { isMisuse = true }
        try requireEqual(!isMisuse, allowed, "\(name) allowed in \(model.stage)")
        if allowed { change(&model) }
        try compare()
    }

    func invite(_ terms: ModelTerms) throws {
        var terms = terms
        // An answer may come with PEER_INFO, before the model has seen which session was drawn: so it is given then.
        if model.state == .info, terms.session == nil { terms.session = [UInt8](repeating: 0x5E, count: 16) }
        try inviteNow(terms)
    }

    private func inviteNow(_ terms: ModelTerms) throws {
        try request(
            "invite",
            isAllowed: { $0.invitation == nil && ($0.state == .info || $0.state == .identified) },
            { try $0.invite(FramesChoices.invitation(terms), at: now) },
            change: { model in
                model.invitation = terms
                model.isSessionGiven = terms.session != nil
                // SPEC §17: an initiator need not wait for the peer's name.
                if model.state == .info, model.role == .initiator { return model.sendInvite() }
                guard model.state == .identified else { return }
                model.sendInvite()
                model.state = .inviting(hasCrossed: false)
                model.setDeadline(model.inviteDeadline)
            })
    }

    func cancelInvitation() throws {
        // An invitation that waits for the peer's name is never sent.
        let waits = { (model: ModelLink) in model.state == .info && model.invitation != nil && !model.hasInvited }
        try request(
            "cancelInvitation", isAllowed: { $0.stage == .inviting || waits($0) },
            { try $0.cancelInvitation(at: now) },
            change: { model in
                if !waits(model) { return model.withdraw(1, "withdrawn") }
                model.invitation = nil
                model.closeByApp()
            })
    }

    func accept(_ terms: ModelTerms) throws {
        guard let token = invitationToken else { return }
        try request(
            "accept", isAllowed: { $0.state == .invited },
            { try $0.accept(token, with: FramesChoices.terms(terms), at: now) }, change: { $0.answer(terms) })
    }

    func decline(_ reason: Int) throws {
        guard let token = invitationToken else { return }
        let reasons: [DeclineReason] = [.declined, .busy, .superseded]
        try request(
            "decline", isAllowed: { $0.state == .invited }, { try $0.decline(token, reasons[reason], at: now) },
            change: { $0.decline([1, 2, 5][reason], [], reason == 2 ? "superseded" : "declined") })
    }

    func judge(isAccepted: Bool) throws {
        guard let token = judgementToken else { return }
        let verdict: Verdict = isAccepted ? .accepted(.application) : .rejected(.refusedByApplication)
        try request(
            "resolve", isAllowed: { $0.state == .certificates && $0.hasCertificates && !$0.hasAccepted },
            { try $0.submitVerdict(verdict, for: token, at: now) }, change: { $0.judge(isAccepted) })
    }

    func close() throws {
        link.close(at: now)
        model.closeByApp()
        try compare()
    }

    func close(_ code: UInt64) throws {
        link.close(CloseCode(rawValue: code), at: now)
        model.closeByApp(code)
        try compare()
    }

    // MARK: Payload

    func send(count: Int) throws {
        let message = SessionFile.message(of: 0, number: count, count: count)
        try request(
            "send", isAllowed: { $0.state == .open && UInt64(count) <= $0.peerMaximum },
            { try $0.send(message, at: now) },
            change: { $0.sent.append(ModelSent(0x40, ModelSent.varint(UInt64(count)) + message)) })
    }

    func offerFile(_ name: String, _ size: UInt64) throws {
        var id: FileID?
        try request(
            "offerFile", isAllowed: { $0.state == .open && !$0.payload.outgoing.isActive },
            { id = try $0.offerFile(name: name, size: size, at: now) },
            change: { $0.payload.outgoing.offer(Array(name.utf8), size, &$0.sent) })
        if let id { files[id.rawValue] = id }
    }

    /// A file of either direction has the same number for whoever asks: numbers are all that an ID is.
    func useFile(_ action: Int, _ amount: Int) throws {
        let (incoming, outgoing) = (model.payload.incoming, model.payload.outgoing)
        guard let file = files[action < 3 ? incoming.id : outgoing.id] else { return }
        let reason = FileCancel.Reason.allCases[amount % 6]
        let isOpen = model.state == .open
        switch action {
        case 0:
            try request(
                "acceptFile", isAllowed: { _ in isOpen && incoming.state == .offered },
                { try $0.acceptFile(file, at: now) },
                change: { model in
                    model.payload.incoming.state = .moving
                    model.sent.append(ModelSent(0x52, ModelSent.varint(incoming.id)))
                })
        case 1:
            try request(
                "confirmFile", isAllowed: { _ in isOpen && incoming.state == .whole },
                { try $0.confirmFile(file, at: now) }, change: { $0.payload.incoming.confirm(&$0.sent) })
        case 2:
            try request(
                "refuseFile", isAllowed: { _ in isOpen && incoming.isActive },
                { try $0.refuseFile(file, reason: reason, at: now) },
                change: { $0.payload.incoming.refuse(reason.rawValue, &$0.events, &$0.sent) })
        case 3:
            try request(
                "cancelFile", isAllowed: { _ in isOpen && outgoing.isActive },
                { try $0.cancelFile(file, reason: reason, at: now) },
                change: { $0.payload.outgoing.cancel(reason.rawValue, &$0.events, &$0.sent) })
        default: try supply(file, amount)
        }
    }

    private func supply(_ file: FileID, _ amount: Int) throws {
        let outgoing = model.payload.outgoing
        let count = amount == 0 ? Int(min(outgoing.left, 65_280)) : amount
        guard count <= budget else { return }
        budget -= count
        let chunk = SessionFile.content(of: 0, file: file.rawValue, from: UInt64(outgoing.bytes.count), count: count)
        let isOpen = model.state == .open
        try request(
            "supply",
            isAllowed: { _ in
                isOpen && outgoing.state == .moving && count > 0 && UInt64(count) <= outgoing.left
            },
            { try $0.supply(chunk, to: file, at: now) },
            change: { $0.payload.outgoing.supply(chunk, &$0.events, &$0.sent) })
    }
}

/// Terms for the link from terms of the model.
enum FramesChoices {
    static func terms(_ terms: ModelTerms) -> SessionTerms {
        let preference = EncryptionPreference.allCases[Int(terms.preference)]
        return SessionTerms(encryption: preference, certificate: terms.leaf == nil ? nil : certificate)
    }

    static func invitation(_ terms: ModelTerms) -> OutgoingInvitation {
        OutgoingInvitation(
            terms: self.terms(terms), session: terms.session, context: terms.context,
            timeout: .milliseconds(terms.timeout))
    }

    static let leaf: [UInt8] = [0x30, 0x03, 1, 2, 3]

    private static let certificate: LocalCertificate = {
        do {
            return LocalCertificate(
                chain: try UnverifiedCertificateChain([Certificate(der: leaf)]), signer: InsecureBinding(leaf: leaf))
        } catch { fatalError("\(error)") }
    }()
}
