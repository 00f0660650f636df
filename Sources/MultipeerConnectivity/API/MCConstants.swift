/// The domain of ``MCError`` as an `NSError`.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let MCErrorDomain: String = "MCErrorDomain"

/// The least number of peers of a session, the local peer included.
public let kMCSessionMinimumNumberOfPeers: Int = 2

/// The greatest number of peers of a session, the local peer included, unless ``MCSession/maximumNumberOfPeers`` says
/// otherwise.
public let kMCSessionMaximumNumberOfPeers: Int = 8

/// How a message is sent.
public enum MCSessionSendDataMode: Int, Sendable {
    /// In order, and sent again where the network loses something.
    case reliable = 0
    /// At once, or not at all: a message is dropped while others wait to be sent to the same peer.
    case unreliable = 1
}

/// The state of a peer in a session.
public enum MCSessionState: Int, Sendable {
    /// There is no connection, and none is being made.
    case notConnected = 0
    /// A connection is being made.
    case connecting = 1
    /// There is a connection.
    case connected = 2
}

/// Whether what is exchanged must be encrypted. Both peers decide: *required* and *none* do not become connected,
/// *optional* and *none* become connected without encryption, and everything else is encrypted. Every message is
/// authenticated in all of them.
public enum MCEncryptionPreference: Int, Sendable {
    /// Encrypted, unless the remote peer says *none*.
    case optional = 0
    /// Encrypted, or not connected.
    case required = 1
    /// Not encrypted. A peer that requires encryption is not connected.
    case none = 2
}
