/// What a peer is looked for, so that questions and remedies name the command that is run.
enum PickerPurpose: Sendable {
    case send, receive, chat, pair, verify

    /// Stands before what is typed.
    var question: String {
        switch self {
        case .send: "Send to whom? "
        case .receive: "Receive from whom? "
        case .chat: "Chat with whom? "
        case .pair: "Pair with whom? "
        case .verify: "Compare with whom? "
        }
    }

    /// How the person names a peer.
    var nameArgument: String {
        switch self {
        case .send: "--to NAME"
        case .receive: "multipeer receive LINK"
        case .chat: "multipeer chat NAME"
        case .pair: "multipeer pair LINK"
        case .verify: "multipeer verify NAME"
        }
    }

    /// What the remote peer has to run, so that it can be found.
    /// - Parameter search: What is known of it; nil for nothing.
    func otherSide(_ search: PeerSearch?) -> String {
        let isByCode = if case .showing = search { true } else { false }
        return switch self {
        case .send: isByCode ? "multipeer receive --code" : "multipeer receive"
        case .receive: "multipeer send --show-code"
        case .chat: "multipeer chat --visible"
        case .pair: "multipeer pair"
        case .verify: "multipeer verify"
        }
    }

    /// What to do if several fit.
    func remedyForSeveral(_ search: PeerSearch) -> String {
        switch (self, search) {
        case (.send, .named), (.send, .key): "Give the digits of the peer that you mean: --to TAG"
        case (.send, .showing): "Name the peer as well: --to NAME"
        case (.chat, _): "Give the digits of the peer that you mean: multipeer chat TAG"
        case (.verify, _): "Give the digits of the peer that you mean: multipeer verify TAG"
        case (.pair, _), (.receive, _):
            "Type the link that the peer shows in place of the code"
        }
    }
}
