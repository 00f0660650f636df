import ArgumentParser
import MultipeerNIO

/// Whom an argument of `multipeer chat` means.
enum ChatPeer: Hashable, Sendable {
    /// The member of a chat at this address, which is joined.
    case address(Endpoint)
    /// A peer nearby of this name, or whose tag or key begins so, which is invited.
    case nearby(String)

    /// A text with a colon is an address. A peer whose name has one is meant by its tag.
    @Sendable static func parse(_ text: String) throws -> ChatPeer {
        guard !text.isEmpty else { throw ValidationError("Nobody has an empty name.") }
        return text.contains(":") ? .address(try Arguments.endpoint(text)) : .nearby(text)
    }
}

/// `--accept` of `multipeer chat`
enum ChatAcceptance: String, ExpressibleByArgument, CaseIterable {
    case all, ask, none
}
