public import MultipeerCrypto
import MultipeerWire

/// One-time codes and short strings (SPEC §25), of which the node keeps what concerns all of its links. Pinning is the app's.
extension Node {
    // MARK: Codes

    /// The code that is shown, if there is one.
    public var shownCode: ShownCode? { verificationBook.shown.current(at: now) }

    /// Shows a new code, in the place of the one before. It is good for ten minutes and one guess:
    /// ``NodeEffect/codeExpired`` and ``VerificationEvent/codeBurned(_:)`` say when to show it no more.
    /// - Parameters:
    ///   - number: One of `OneTimeCode.numbers` that nobody else is seen to show, and another one than last time.
    ///   - now: The time.
    /// - Throws: ``NodeRequestError/link(_:)``.
    public mutating func showCode(number: Int, at now: Instant) throws(NodeRequestError) -> ShownCode {
        begin(at: now)
        defer { settle() }
        guard configuration.link.pairing != nil else { throw .link(.verificationUnavailable) }
        var random: any RandomSource = environment.random
        return verificationBook.shown.show(number: number, random: &random, at: now)
    }

    /// Shows no code any more. Attempts that are under way continue.
    public mutating func hideCode(at now: Instant) {
        begin(at: now)
        defer { settle() }
        verificationBook.shown.hide()
    }

    /// Tries a code that the peer's person has told, on a link on which nobody has invited.
    /// - Throws: ``NodeRequestError/unknownLink``, ``NodeRequestError/codeUsed``, ``NodeRequestError/tooManyCodes``,
    ///   ``NodeRequestError/link(_:)``.
    public mutating func giveCode(
        _ code: OneTimeCode, on number: LinkNumber, at now: Instant
    ) throws(NodeRequestError) {
        begin(at: now)
        defer { settle() }
        guard let link = links[number], link.isAlive else { throw .unknownLink }
        try give(code, on: link)
    }

    private mutating func give(_ code: OneTimeCode, on link: NodeLink) throws(NodeRequestError) {
        try verificationBook.typed.check(code, at: now)
        do throws(RequestError) {
            try link.link.giveCode(code, at: now)
        } catch {
            throw .link(error)
        }
        verificationBook.typed.give(code, on: link.number)
    }

    /// Sends an INVITE, or has the link keep it until the code that goes before was right (R17-1). A link on which the peer
    /// tries a code, or has, needs no second one: it is the same key.
    mutating func launch(_ own: NodeLink.OwnInvitation, on link: NodeLink) throws(NodeRequestError) {
        var own = own
        if let code = own.code.take() {
            if link.link.hasTriedCode {
                effects.append(.verification(link.number, .codeVoid))
            } else {
                try give(code, on: link)
            }
        }
        do throws(RequestError) {
            try link.link.invite(own.invitation, at: now)
        } catch {
            throw .link(error)
        }
        let hasGone = link.link.provedPeer != nil && link.link.stage != .pairing
        link.state = hasGone ? .inviting(own) : .preparing(own)
    }

    // MARK: Short strings

    /// The local person wants to compare short strings. The string comes by ``VerificationEvent/shortString(_:)`` once
    /// the peer's person wants to as well.
    /// - Throws: ``NodeRequestError/unknownLink``, ``NodeRequestError/tooManyComparisons``, ``NodeRequestError/link(_:)``.
    public mutating func compareStrings(on number: LinkNumber, at now: Instant) throws(NodeRequestError) {
        begin(at: now)
        defer { settle() }
        guard let link = links[number], link.isAlive else { throw .unknownLink }
        guard verificationBook.comparisons.mayBegin(at: now) else { throw .tooManyComparisons }
        do throws(RequestError) {
            try link.link.compareStrings(at: now)
        } catch {
            throw .link(error)
        }
        verificationBook.comparisons.begin(on: number, at: now)
    }

    /// The local person has confirmed that both strings are the same: the exchange counts no more for the limit of SPEC
    /// §25.3. If they differ, close the link with `stringsDiffer`.
    public mutating func confirmStrings(on number: LinkNumber) { verificationBook.comparisons.confirm(number) }

    /// Whether both peers of a link know how to verify keys. False until the remote peer is identified.
    public func isVerificationAvailable(on number: LinkNumber) -> Bool {
        links[number]?.link.isVerificationAvailable ?? false
    }

    // MARK: What links tell

    mutating func verificationWent(_ event: VerificationEvent, on link: NodeLink) {
        switch event {
        case .codeWanted(let token, let number): return answer(token, number: number, on: link)
        case .codeBurned(.presenter): verificationBook.shown.burn(on: link.number)
        case .codeBurned(.typist): verificationBook.typed.burn(on: link.number, at: now)
        case .codeVoid: verificationBook.typed.release(link.number)
        case .codeVerified:
            verificationBook.verified(on: link.number)
            // The INVITE that waited has gone out.
            if case .preparing(let own) = link.state { link.state = .inviting(own) }
        case .codeAbandoned, .comparisonWanted, .shortString: break
        }
        effects.append(.verification(link.number, event))
    }

    /// The peer tries the code of a number (R25.6-6).
    private mutating func answer(_ token: LinkToken, number: Int, on link: NodeLink) {
        let code = verificationBook.shown.begin(on: link.number, number: number, at: now)
        do throws(RequestError) {
            try link.link.answerCode(token, with: code, at: now)
        } catch {
            // The link has ended meanwhile, or reports its end: no attempt is under way.
            _ = verificationBook.shown.ended(link.number)
        }
    }

    /// A link has ended, and with it what it tried.
    mutating func verificationEnded(on link: NodeLink) {
        guard verificationBook.ended(link.number) == .abandoned else { return }
        effects.append(.verification(link.number, .codeAbandoned))
    }
}
