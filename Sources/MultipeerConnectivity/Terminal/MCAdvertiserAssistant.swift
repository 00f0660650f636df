import Dispatch
public import Foundation

/// Lets peers nearby find the local peer, and asks the person at the terminal whether those that invite may come.
///
/// The question is on the last line of the terminal, below what the screen of `MultipeerTerminal` prints. Without a
/// terminal on standard input nobody can be asked: every invitation is declined, and standard error says why. An app
/// that reads standard input itself meanwhile implements ``MCNearbyServiceAdvertiserDelegate`` instead, and asks in its
/// own way.
open class MCAdvertiserAssistant: NSObject, @unchecked Sendable {
    // Unchecked, because a class that can be inherited from cannot be checked. Locks guard what changes.

    /// The session that peers join.
    public let session: MCSession
    /// What the app says to everyone.
    public let discoveryInfo: [String: String]?
    /// What is advertised.
    public let serviceType: String

    private let told = WeakReference<any MCAdvertiserAssistantDelegate>()
    private let advertiser: MCNearbyServiceAdvertiser
    private let desk = InvitationDesk()
    private let queue = DispatchQueue(label: "MCAdvertiserAssistant")

    /// Creates an assistant that does not advertise yet.
    /// - Parameters:
    ///   - serviceType: What is advertised: 1–15 of `a`–`z`, `0`–`9` and hyphen. The case of letters does not count.
    ///   - info: What the app says to everyone. It is public, and does not change.
    ///   - session: The session that peers join.
    /// - Precondition: As for ``MCNearbyServiceAdvertiser/init(peer:discoveryInfo:serviceType:)``.
    public init(serviceType: String, discoveryInfo info: [String: String]?, session: MCSession) {
        self.session = session
        self.serviceType = serviceType
        discoveryInfo = info
        advertiser = MCNearbyServiceAdvertiser(peer: session.myPeerID, discoveryInfo: info, serviceType: serviceType)
        super.init()
        desk.owner.set(self)
        advertiser.delegate = desk
    }

    deinit { desk.dismissAll() }

    /// The delegate, which hears what happens. It is not kept alive.
    open var delegate: (any MCAdvertiserAssistantDelegate)? {
        get { told.value }
        set { told.set(newValue) }
    }

    /// Advertises, and asks. Nothing happens if it does already.
    open func start() {
        desk.open()
        advertiser.startAdvertisingPeer()
    }

    /// Stops advertising. A peer that waits for an answer is declined, and connected peers stay connected.
    open func stop() {
        advertiser.stopAdvertisingPeer()
        desk.dismissAll()
    }

    // MARK: What the desk reports

    /// Returns when the app knows: what it prints is above the question.
    func willPresent() async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.delegate?.advertiserAssistantWillPresentInvitation(self)
                continuation.resume()
            }
        }
    }

    func didDismiss() { queue.async { self.delegate?.advertiserAssistantDidDismissInvitation(self) } }
}
