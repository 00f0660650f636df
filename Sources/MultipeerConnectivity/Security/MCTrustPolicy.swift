public import Foundation

/// The peers that a session trusts if its delegate does not judge certificates.
///
/// Apple's framework accepts everybody then, and says nothing.
public enum MCTrustPolicy: Hashable, Sendable {
    /// Everybody, and keys are remembered. A peer that comes with another key under a name that is remembered, or one that looks like it,
    /// is another peer for the app, which may have the same name, and a line on standard error says so. It is refused only if people have
    /// verified the key that is remembered. This is the default: most apps for Apple's framework make a new ``MCPeerID`` at each start.
    ///
    /// So nobody can come unnoticed in the name of another, and nobody is kept from doing so. An app to which names matter chooses
    /// ``trustOnFirstUse``, or judges certificates.
    case acceptNewcomers
    /// Peers that come for the first time, whose keys are remembered; later only these keys. A known name with another key is
    /// refused.
    ///
    /// An app that keeps its ``MCPeerID`` in an archive remembers peers from run to run, in the folder
    /// `connectivity/` of the user's store (`$XDG_DATA_HOME/multipeer`, by default `~/.local/share/multipeer`). A peer ID that was
    /// never archived remembers them as long as it lives: nobody would recognise it later either.
    case trustOnFirstUse
    /// The same, and peers are remembered in this file.
    case trustOnFirstUseRemembered(in: URL)
    /// Everybody, as with Apple's framework. What is exchanged is encrypted as the session demands, and nobody knows
    /// with which peer.
    case acceptEveryPeerUnverified
}
