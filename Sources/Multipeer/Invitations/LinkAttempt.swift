import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import Synchronization

/// An attempt to become connected with a peer over a link that the local peer has made.
final class LinkAttempt: Sendable {
    /// What the local peer does once the peer has proved its key.
    enum Purpose: Sendable {
        case inviting
        /// Nobody is invited before a code was right.
        case invitingByCode
        /// It waits to be invited, and accepts.
        case joining
        /// It verifies the peer by a code. Nobody is invited, and the link ends with the call.
        case pairing
    }

    /// For which session of the app it is; nil for a link on which nobody is invited.
    let session: SessionCore?
    let purpose: Purpose
    /// The peer that is expected, if one is.
    let expected: IdentityKey?
    /// Which tag its key must have (R23.5-1).
    let tag: KeyTag?
    /// Whether the code was right, if there is one.
    private let isCodeRight = Mutex(false)
    private let outcome = AsyncQueue<Result<Member, MultipeerError>>(watermarks: .unbounded)
    private let identification = AsyncQueue<Bool>(watermarks: .unbounded)

    init(
        _ session: SessionCore?, _ purpose: Purpose, expecting key: IdentityKey?, tagged tag: KeyTag? = nil
    ) {
        self.session = session
        self.purpose = purpose
        expected = key
        self.tag = tag
    }

    var isJoining: Bool { purpose == .joining }

    /// Whether the peer has to know a code, and was not proved to know it yet. Until then no other link decides, and no
    /// invitation of the peer's takes the place of this one: it does not prove that its sender is the one that the code
    /// names.
    var isAwaitingCode: Bool { purpose == .invitingByCode && !isCodeRight.withLock { $0 } }

    /// The remote peer of the attempt's link knows the code.
    func codeVerified() { isCodeRight.withLock { $0 = true } }

    /// The peer has proved its key, and it is the right one.
    func identified() {
        identification.push(true, cost: 0)
        identification.finish()
    }

    /// Waits until the peer has proved its key. Returns false if that did not happen, and nil if the task is cancelled.
    func waitForIdentity() async -> Bool? { await identification.next() }

    /// Only the first result counts.
    func resolve(_ result: Result<Member, MultipeerError>) {
        identification.push(false, cost: 0)
        identification.finish()
        outcome.push(result, cost: 0)
        outcome.finish()
    }

    /// Waits for the outcome; nil if the task is cancelled.
    func wait() async -> Result<Member, MultipeerError>? { await outcome.next() }
}
