import MultipeerCore
import MultipeerWire

/// Who owns the link of a driver: a node, which sees every effect first, and is asked for what is more than this one link's.
protocol LinkOwner: AnyObject {
    /// The driver has changed its link. The owner gives the link's effects back by `deliver(_:at:)`.
    func settle(_ driver: LinkDriver, at now: Instant)
    /// The app, or this side, closes the link.
    func close(_ driver: LinkDriver, _ code: CloseCode, at now: Instant)
    /// The app has taken messages and bytes of streams, which count also when the link is over (R13.5-6).
    func took(_ receipts: Receipts, of driver: LinkDriver, at now: Instant)
    /// The transport is gone.
    func transportClosed(_ driver: LinkDriver, at now: Instant)
}
