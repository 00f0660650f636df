public import Foundation

/// Whom a session trusts whose delegate does not judge certificates.
///
/// Apple's framework accepts everybody then. Here that has to be asked for by name.
public enum MCTrustPolicy: Hashable, Sendable {
    /// Peers that come for the first time, whose keys are remembered; later only these keys. A known name with another key is
    /// refused. This is the default.
    ///
    /// An app that keeps its ``MCPeerID`` in an archive remembers peers from run to run, in the folder
    /// `connectivity/` of the user's store (`$XDG_DATA_HOME/multipeer`, by default `~/.local/share/multipeer`). A peer ID that was
    /// never archived remembers them as long as it lives: nobody would recognise it later either.
    case trustOnFirstUse
    /// The same, and peers are remembered in this file.
    case trustOnFirstUseRemembered(in: URL)
    /// Everybody, as with Apple's framework. What is exchanged is encrypted as the session demands, and nobody knows with whom.
    case acceptEveryPeerUnverified
}
