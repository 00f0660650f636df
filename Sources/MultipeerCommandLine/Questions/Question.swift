package import Multipeer
package import MultipeerCrypto

/// Something that the person at the terminal is asked, and answers with yes or no.
package protocol Question: Sendable {
    /// The caller that it is about, as far as callers can be counted.
    var caller: Caller { get }
    /// Tells people which link it is about.
    var label: String { get }
    /// What it is about. The last line follows it.
    var text: String { get }
    /// The line after which the answer is typed. It must fit into one line of the terminal.
    var lastLine: String { get }
    /// What a typed line means; nil at the end of the input.
    func reply(to line: String?) -> InvitationReply
    /// A person is about to see it: what it is about changes no more.
    func appear()
}

extension Question {
    package func reply(to line: String?) -> InvitationReply {
        ["y", "yes"].contains(line?.lowercased()) ? .accepted : .declined
    }

    package func appear() {}

    /// What follows the name of a peer, because anybody can call itself so: whether it was met before, and the first
    /// digits of its key.
    package static func marks(_ key: IdentityKey, isKnown: Bool) -> String {
        "(\(isKnown ? "known" : "new"), \(key.description.prefix(8))…)"
    }

    /// A name, cut so that a line has room for it.
    package static func cut(_ name: String) -> String { name.count > 24 ? "\(name.prefix(24))…" : name }
}
