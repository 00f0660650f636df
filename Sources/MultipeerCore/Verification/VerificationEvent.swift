public import MultipeerCrypto

/// Which part a peer has in a one-time code (SPEC §25.4), whichever of both began the link.
public enum CodeRole: Hashable, Sendable {
    /// A person types the code here.
    case typist
    /// The code is shown here.
    case presenter
}

/// What happens while people verify a peer (SPEC §25). Pinning the key is the app's.
@nonexhaustive
public enum VerificationEvent: Hashable, Sendable {
    /// The peer's person has typed a code of this number: answer by `Link.answerCode(_:with:at:)`. Both peers have 10 s
    /// from now until the link has ended or the code was right.
    case codeWanted(LinkToken, number: Int)
    /// The code of this attempt is used up, right or wrong: the presenter shows it no more and answers nobody with it
    /// (R25.5-5), and the typist tries it with nobody for ten minutes (R25.5-6). Heed this before the link transmits.
    case codeBurned(CodeRole)
    /// The peer has begun to try the code that is shown, and its link has ended before CODE_CONFIRM came. The code is as good as before (R25.6-8). Many of these say that somebody is in the way.
    case codeAbandoned
    /// Both peers' persons typed a code, and the peer's attempt wins (R25.7-2). The code that was given here is not
    /// used up.
    case codeVoid
    /// Both peers have the same code: the remote peer's key is verified.
    case codeVerified(CodeRole)
    /// The peer's person wants to compare short strings. Ask the local person, and then call
    /// `Link.compareStrings(at:)`.
    case comparisonWanted
    /// Both persons compare this. If they say that it is the same, the peer's key is verified; if not, close the link with
    /// `stringsDiffer`. It may be shown for as long as the link lives (SPEC §25.3).
    case shortString(ShortAuthenticationString)
}
