import MultipeerCore
public import MultipeerCrypto
public import MultipeerNIO
import Synchronization

extension Session {
    /// Opens a stream to a member. Both peers may send at once.
    /// - Parameters:
    ///   - name: What it is for, at most 255 bytes of UTF-8.
    ///   - peer: The member.
    ///   - isOneWay: Whether the member may send nothing in it.
    /// - Throws: ``MultipeerError``.
    public func openStream(
        named name: String, to peer: PeerID, isOneWay: Bool = false
    ) async throws(MultipeerError) -> PeerStream {
        guard let member = core.member(peer.key) else { throw .stream(.wrongStage(.closed)) }
        do throws(RequestError) {
            let stream =
                isOneWay
                ? try await member.connection.openStream(named: name, credit: 0)
                : try await member.connection.openStream(named: name)
            return PeerStream(stream, named: name, member, isOwn: true)
        } catch {
            throw .stream(error)
        }
    }
}

/// A stream of bytes between the local peer and a member, with a direction each way. Each direction ends by itself.
///
/// A stream that nobody keeps is given up, but for a direction that was finished.
public final class PeerStream: Sendable {
    /// The remote peer.
    public let member: Member
    /// What it is for. If the member has opened it, this is text of a stranger.
    public let name: String
    /// Whether the local peer has opened it.
    public let isOwn: Bool
    /// The bytes that the member sends, in the pieces in which they come. Each piece is delivered once.
    /// While the app does not take them, the member waits.
    public var bytes: StreamBytes { connection.bytes(of: stream) }
    private let stream: StreamID
    private let connection: LinkConnection
    private let isFinished = Mutex(false)

    init(_ stream: StreamID, named name: String, _ member: ConnectedMember, isOwn: Bool) {
        self.stream = stream
        self.name = name
        self.member = member.member
        self.isOwn = isOwn
        connection = member.connection
    }

    deinit {
        connection.abandonStream(stream, code: StreamAbort.abandoned, resets: !isFinished.withLock { $0 })
    }

    /// Writes bytes, and suspends while much waits to be sent.
    /// - Throws: ``MultipeerError``, with the code `streamEnded` if the direction has ended or the member reads no more.
    public func write(_ bytes: [UInt8]) async throws(MultipeerError) {
        do throws(RequestError) { try await connection.write(bytes, to: stream) } catch { throw .stream(error) }
    }

    /// Writes bytes without a task. `completion` is called once, on a thread that must not block: when little waits to be sent, or
    /// with the reason why these bytes never are.
    package func write(_ bytes: [UInt8], completion: @escaping @Sendable (RequestError?) -> Void) {
        connection.write(bytes, to: stream, completion: completion)
    }

    /// Ends the local peer's direction, after what was written.
    /// - Throws: ``MultipeerError``.
    public func finish() async throws(MultipeerError) {
        isFinished.withLock { $0 = true }
        do throws(RequestError) { try await connection.finishStream(stream) } catch { throw .stream(error) }
    }

    /// Gives up the local peer's direction. What waits is dropped.
    /// - Parameter code: A reason of the app's own (SPEC §15.6).
    public func reset(code: UInt64 = StreamAbort.abandoned) async {
        isFinished.withLock { $0 = true }
        try? await connection.resetStream(stream, code: code)
    }

    /// Asks the member to send no more. What waits for the app is dropped.
    /// - Parameter code: A reason of the app's own (SPEC §15.6).
    public func stopReading(code: UInt64 = StreamAbort.abandoned) async {
        try? await connection.stopStream(stream, code: code)
    }
}

/// Why a direction of a stream was given up.
public enum StreamAbort {
    /// Nobody wants it.
    public static let abandoned: UInt64 = 1
}
