public import Foundation

/// What an app hears of its ``MCAdvertiserAssistant``. The methods are called on a private queue.
public protocol MCAdvertiserAssistantDelegate: NSObjectProtocol {
    /// Somebody is about to be asked whether a peer may come.
    func advertiserAssistantWillPresentInvitation(_ advertiserAssistant: MCAdvertiserAssistant)

    /// Nobody is asked any more, whatever the answer was.
    func advertiserAssistantDidDismissInvitation(_ advertiserAssistant: MCAdvertiserAssistant)
}

extension MCAdvertiserAssistantDelegate {
    /// Does nothing.
    public func advertiserAssistantWillPresentInvitation(_ advertiserAssistant: MCAdvertiserAssistant) {}
    /// Does nothing.
    public func advertiserAssistantDidDismissInvitation(_ advertiserAssistant: MCAdvertiserAssistant) {}
}
