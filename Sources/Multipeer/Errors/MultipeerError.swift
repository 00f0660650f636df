public import MultipeerCertificates
public import MultipeerCore
public import MultipeerCrypto
public import MultipeerDiscovery
package import MultipeerDriver
public import MultipeerNIO
public import MultipeerStorage
public import MultipeerTransfers

/// Why a call of this module failed: what the local peer was about to do, why that failed, and what a person can do about it.
///
/// Apps decide by ``code-swift.property``, which later versions keep. ``cause-swift.property`` is what a layer below has reported, for a log.
///
/// ```swift
/// do {
///     try await session.invite(.tcp(host: "192.0.2.7", port: 4433))
/// } catch where error.code == .declined {
///     show("They cannot join now.")
/// } catch {
///     show("\(error.reason). \(error.remedy).")
/// }
/// ```
public struct MultipeerError: Error, Hashable, Sendable {
    /// What the local peer was about to do.
    public let phase: Phase
    /// What failed.
    public let cause: Cause

    private init(_ phase: Phase, _ cause: Cause) { (self.phase, self.cause) = (phase, cause) }

    /// What a peer does.
    @nonexhaustive
    public enum Phase: String, Hashable, Sendable {
        /// Loading or creating the local identity.
        case identity
        /// Listening for peers.
        case listening
        /// Advertising, or looking for peers.
        case discovery
        /// Reaching a peer, inviting it or joining it.
        case connection
        /// Verifying a peer's key by a code or a short string.
        case verification
        /// Taking up a session that was kept.
        case session
        /// Sending a message.
        case sending
        /// Using a stream.
        case stream
        /// Sending or receiving a file.
        case file = "file transfer"
    }

    /// What failed. The errors of the layers below are for logs, and for programs that know the protocol: a later version may report
    /// others for the same code.
    @nonexhaustive
    public enum Cause: Hashable, Sendable {
        /// The task was cancelled.
        case cancelled
        /// The session has ended, or its peer has.
        case stopped
        /// The peer is not connected.
        case notConnected
        /// The peer closed the connection before anybody was connected, or before a call had its answer.
        case closed
        /// The peer that was chosen by a name calls itself otherwise now that its key is proved, and was not invited.
        case otherName(PeerID)
        /// The connection ended: the peer declined, was not trusted, did not answer, or others.
        case link(LinkFailure)
        /// Nothing could be connected to at the address.
        case unreachable(ConnectError)
        /// The node refuses what the local peer asks for.
        case request(NodeRequestError)
        /// The message has more bytes than the peer accepts.
        case messageTooLong(maximum: UInt64)
        /// The direction of the stream has ended, or its peer reads no more.
        case streamEnded
        /// The file was not transferred to its end.
        case transfer(TransferError)
        /// The system does not allow to listen there.
        case bind(BindError)
        /// Nothing can be advertised or looked for.
        case discovery(DiscoveryError)
        /// The name is no display name.
        case name(DisplayNameError)
        /// The folder of the identity cannot be used.
        case store(PeerStoreError)
        /// A file cannot be read or written, or is damaged.
        case storage(StorageError)
        /// What people have said could not be remembered.
        case notRemembered(KnownPeersStoreFailure)
        /// The identity ends with the process, and nobody would recognise it: no session can be kept.
        case noStore
        /// A session of this peer is kept under that name already, or is the one that was kept under it.
        case inUse
        /// The session that was kept is this other peer's.
        case foreign(IdentityKey)
        /// What was kept does not make this peer a member: somebody has made it up.
        case notMember
        /// A secret could not be used.
        case crypto(CryptoFailure)
    }
}

extension MultipeerError {
    package static func identity(_ cause: Cause) -> MultipeerError { MultipeerError(.identity, cause) }
    static func listening(_ error: BindError) -> MultipeerError { MultipeerError(.listening, .bind(error)) }
    static func discovery(_ error: DiscoveryError) -> MultipeerError { MultipeerError(.discovery, .discovery(error)) }
    package static func connection(_ cause: Cause) -> MultipeerError { MultipeerError(.connection, cause) }
    package static func verification(_ cause: Cause) -> MultipeerError { MultipeerError(.verification, cause) }
    package static func session(_ cause: Cause) -> MultipeerError { MultipeerError(.session, cause) }
    package static func file(_ error: TransferError) -> MultipeerError { MultipeerError(.file, .transfer(error)) }

    /// Creates the error of a stream that a link refuses.
    static func stream(_ error: RequestError) -> MultipeerError {
        switch error {
        case .wrongStage: MultipeerError(.stream, .notConnected)
        case .unknownStream: MultipeerError(.stream, .streamEnded)
        default: MultipeerError(.stream, .request(.link(error)))
        }
    }

    /// Creates the error of a message that was not queued.
    package static func sending(_ failure: SendFailure) -> MultipeerError {
        switch failure {
        case .notConnected: MultipeerError(.sending, .notConnected)
        case .messageTooLong(let maximum): MultipeerError(.sending, .messageTooLong(maximum: maximum))
        case .cancelled: MultipeerError(.sending, .cancelled)
        }
    }

    /// Creates the error of a link that ended before it opened.
    static func connection(_ end: LinkEnd) -> MultipeerError {
        switch end {
        case .finished: .connection(.closed)
        case .failed(let failure): .connection(.link(failure))
        }
    }
}
