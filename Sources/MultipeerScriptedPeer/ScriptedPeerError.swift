public import MultipeerCrypto
public import MultipeerWire

/// Why a ``ScriptedPeer`` cannot continue: a script that asks too much, or a remote peer that broke the protocol.
public enum ScriptedPeerError: Error, Hashable, Sendable {
    /// There are no keys yet.
    case noKeys
    /// The stream does not begin with the magic.
    case wrongMagic
    /// No record has this kind and length.
    case illegalRecord(kind: UInt8, length: Int)
    case secondHello
    case malformedHello
    /// The responder chose what this peer does not have.
    case unknownChoice(version: UInt16, suite: UInt16)
    /// The responder's confirmation does not verify, or its key is of low order.
    case handshakeFailed
    /// A protected record came before there were keys.
    case earlyRecord
    /// A record does not verify.
    case notVerified(RecordKind)
    /// A record holds something that is no frame.
    case malformedFrames
    /// The peer's own cryptography failed.
    case crypto(CryptoFailure)
}
