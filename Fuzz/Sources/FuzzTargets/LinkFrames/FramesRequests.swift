import FuzzSupport
import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerWire

/// What the honest peer's app does. Every misuse is foreseen.
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
        if model.state == .info || model.state == .pairing, terms.charter == nil {
            terms.charter = model.ownKey + [UInt8](repeating: 0x5E, count: 32) + [0]
        }
        try inviteNow(terms)
    }

    private func inviteNow(_ terms: ModelTerms) throws {
        try request(
            "invite",
            isAllowed: { $0.invitation == nil && [.info, .identified, .pairing].contains($0.state) },
            { try $0.invite(FramesChoices.invitation(terms), at: now) },
            change: { model in
                model.invitation = terms
                model.isCharterGiven = terms.charter != nil
                // R8.2-6: an initiator that expects this peer need not wait for its name.
                if model.state == .info, model.expectsPeer { return model.sendInvite() }
                guard model.state == .identified else { return }
                model.sendInvite()
                model.state = .inviting(hasCrossed: false)
                model.setDeadline(model.inviteDeadline)
            })
    }

    func cancelInvitation() throws {
        // An invitation that waits for the peer's name is never sent.
        let waits = { (model: ModelLink) in
            (model.state == .info || model.state == .pairing) && model.invitation != nil && !model.hasInvited
        }
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
        let reasons: [DeclineReason] = [.declined, .busy]
        try request(
            "decline", isAllowed: { $0.state == .invited }, { try $0.decline(token, reasons[reason], at: now) },
            change: { $0.decline([1, 2][reason], [], "declined") })
    }

    func judge(isAccepted: Bool) throws {
        guard let token = judgementToken else { return }
        let verdict: Verdict = isAccepted ? .accepted(.application) : .rejected(.refusedByApplication)
        try request(
            "resolve", isAllowed: { $0.state == .certificates && $0.hasCertificates && !$0.hasAccepted },
            { try $0.submitVerdict(verdict, for: token, at: now) }, change: { $0.judge(isAccepted) })
    }

    // MARK: Codes and strings

    func giveCode(_ text: String) throws {
        guard let code = OneTimeCode(typed: text) else { throw OracleFailure("\(text) is no code") }
        try request(
            "giveCode",
            isAllowed: { $0.state == .identified && $0.verification.isShared && $0.verification.attempt == .none },
            { try $0.giveCode(code, at: now) }, change: { $0.giveCode(text) })
    }

    func answerCode(_ text: String?) throws {
        guard let token = codeToken else { return }
        let code = text.flatMap { OneTimeCode(typed: $0) }
        try request(
            "answerCode",
            isAllowed: { model in
                if case .asked = model.verification.attempt { model.state == .pairing } else { false }
            }, { try $0.answerCode(token, with: code.map { PresentedCode($0) }, at: now) },
            change: { $0.answerCode(text) })
    }

    func compareStrings() throws {
        try request(
            "compareStrings",
            isAllowed: { model in
                let isPossible =
                    switch model.state {
                    case .info, .closing, .closed: false
                    case .identified, .pairing, .inviting, .invited, .certificates, .open: true
                    }
                return isPossible && model.verification.isShared && model.verification.mayCompare
            }, { try $0.compareStrings(at: now) }, change: { $0.compareStrings() })
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

    func rekey() throws {
        try request(
            "rekey", isAllowed: { $0.state == .open && $0.drainingSince == nil }, { try $0.rekey(at: now) },
            change: { $0.owedRekeys += 1 })
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
            terms: self.terms(terms), charter: charter(terms), context: terms.context,
            timeout: .milliseconds(terms.timeout))
    }

    private static func charter(_ terms: ModelTerms) -> Charter? {
        terms.charter.map { Charter(founder: Array($0[0..<32]), nonce: Array($0[32..<64])) }
    }

    static let leaf: [UInt8] = [0x30, 0x03, 1, 2, 3]

    private static let certificate: LocalCertificate = {
        do {
            return LocalCertificate(
                chain: try UnverifiedCertificateChain([Certificate(der: leaf)]), signer: InsecureBinding(leaf: leaf))
        } catch { fatalError("\(error)") }
    }()
}
