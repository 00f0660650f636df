import MultipeerCrypto
import MultipeerNIO

/// Something that the person at the terminal is asked, and answers with yes or no.
protocol Question: Sendable {
    /// Whom it is about.
    var peer: PeerID { get }
    /// The peer's address. All Unix sockets count as one.
    var address: AddressKey? { get }
    /// Tells people which link it is about.
    var label: String { get }
    /// What it is about. The last line follows it.
    var text: String { get }
    /// The line behind which the answer is typed. It must fit into one line of the terminal.
    var lastLine: String { get }
}

extension Question {
    /// A name, cut so that a line has room for it.
    static func cut(_ name: String) -> String { name.count > 24 ? "\(name.prefix(24))…" : name }
}
