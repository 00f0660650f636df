import Dispatch
public import Foundation
import MultipeerTerminal

/// A list of the peers nearby at the terminal, from which the person invites some to a session.
///
/// On Apple's systems this is a view controller that the app presents. Here ``present(animated:completion:)`` shows the
/// list in the last lines of the terminal until the person chooses *Done* or ends the input (Ctrl-D), and the delegate
/// is notified. Without a terminal on standard input it is cancelled at once, and standard error says why.
open class MCBrowserViewController: NSObject, @unchecked Sendable {
    // Unchecked, because a class that can be inherited from cannot be checked. A lock guards what changes.

    /// The session that peers are invited to.
    public let session: MCSession
    private let shownBrowser: MCNearbyServiceBrowser
    private let lock = NSLock()
    private let told = WeakReference<any MCBrowserViewControllerDelegate>()
    private var (least, most) = (kMCSessionMinimumNumberOfPeers, kMCSessionMaximumNumberOfPeers)
    private var presentation: Task<Void, Never>?

    /// Creates a list with a browser of its own.
    /// - Parameters:
    ///   - serviceType: What is looked for: 1–15 of `a`–`z`, `0`–`9` and hyphen.
    ///   - session: The session that peers are invited to.
    /// - Precondition: As for ``MCNearbyServiceBrowser/init(peer:serviceType:)``.
    public convenience init(serviceType: String, session: MCSession) {
        self.init(browser: MCNearbyServiceBrowser(peer: session.myPeerID, serviceType: serviceType), session: session)
    }

    /// Creates a list.
    /// - Parameters:
    ///   - browser: What looks for peers. The list is its delegate while it is shown. A class of the app's own may call the methods of
    ///     its delegate for peers that were found in another way.
    ///   - session: The session that peers are invited to.
    public init(browser: MCNearbyServiceBrowser, session: MCSession) {
        shownBrowser = browser
        self.session = session
        super.init()
    }

    deinit { presentation?.cancel() }

    /// The delegate, which hears of the end. It is not kept alive.
    open var delegate: (any MCBrowserViewControllerDelegate)? {
        get { told.value }
        set { told.set(newValue) }
    }

    /// What looks for peers. It is optional as in Apple's header, and never nil.
    open var browser: MCNearbyServiceBrowser? { shownBrowser }

    /// From how many peers of the session on there is *Done*, the local peer included;
    /// ``kMCSessionMinimumNumberOfPeers`` by default, which is also what counts if it is less.
    open var minimumNumberOfPeers: Int {
        get { lock.withLock { least } }
        set { lock.withLock { least = newValue } }
    }

    /// How many peers of the session there may be before nobody else is invited, the local peer included;
    /// ``kMCSessionMaximumNumberOfPeers`` by default. ``MCSession/maximumNumberOfPeers`` counts as well.
    open var maximumNumberOfPeers: Int {
        get { lock.withLock { most } }
        set { lock.withLock { most = newValue } }
    }

    // MARK: Presentation

    /// Shows the list. Apple's systems have this method in what presents: `present(browserViewController, animated: true)`. Nothing
    /// happens if it is shown already.
    /// - Parameters:
    ///   - animated: Nothing is.
    ///   - completion: Called on the main queue when the list is there.
    public func present(animated: Bool = true, completion: (() -> Void)? = nil) {
        lock.withLock {
            guard presentation == nil else { return }
            presentation = Task { await self.run() }
        }
        callOnMain(completion)
    }

    /// Takes the list away. The delegate is not notified. Nothing happens if it is not shown, as when the delegate has
    /// heard of the end.
    /// - Parameters:
    ///   - animated: Nothing is.
    ///   - completion: Called on the main queue.
    public func dismiss(animated: Bool, completion: (() -> Void)? = nil) {
        lock.withLock { presentation.take() }?.cancel()
        callOnMain(completion)
    }

    private func callOnMain(_ completion: (() -> Void)?) {
        let completion = Carried(completion)
        DispatchQueue.main.async { completion.value?() }
    }

    private func run() async {
        let end = await choose()
        // The app may print now, or end.
        await ProcessTerminal.screen.finish()
        // The delegate hears nothing of a view that was dismissed meanwhile.
        guard let end, lock.withLock({ presentation.take() }) != nil else { return }
        await onMain {
            switch end {
            case .done: self.delegate?.browserViewControllerDidFinish(self)
            case .cancelled: self.delegate?.browserViewControllerWasCancelled(self)
            }
        }
    }

    /// Returns nil if it was dismissed.
    private func choose() async -> PeerChoice.End? {
        guard LineInput.isPossible else {
            ProcessTerminal.warn(
                "no peer can be chosen, because standard input is not a terminal (MCNearbyServiceBrowser lets the app choose)"
            )
            return .cancelled
        }
        guard await ProcessTerminal.turn.begin() else { return nil }
        let list = NearbyList(of: session) { peer, info in await self.shouldPresent(peer, info) }
        shownBrowser.delegate = list
        shownBrowser.startBrowsingForPeers()
        let end = await PeerChoice(list, session, shownBrowser, limits).run()
        shownBrowser.stopBrowsingForPeers()
        shownBrowser.delegate = nil
        await ProcessTerminal.turn.end()
        return Task.isCancelled ? nil : end
    }

    private var limits: @Sendable () -> ClosedRange<Int> {
        { [self] in
            let least = max(minimumNumberOfPeers, kMCSessionMinimumNumberOfPeers)
            return least...max(least, min(maximumNumberOfPeers, session.maximumNumberOfPeers))
        }
    }

    private func shouldPresent(_ peer: MCPeerID, _ info: [String: String]?) async -> Bool {
        await onMain {
            self.delegate?.browserViewController(self, shouldPresentNearbyPeer: peer, withDiscoveryInfo: info) ?? true
        }
    }

    private func onMain<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            DispatchQueue.main.async { continuation.resume(returning: body()) }
        }
    }
}
