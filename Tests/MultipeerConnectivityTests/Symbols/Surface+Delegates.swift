import Foundation
import MultipeerConnectivity
import Testing

/// Delegates are used through their protocols, so that a type's own method of another signature is not taken for the requirement.
extension Surface {
    static func delegates<Delegate: MCSessionDelegate & SendableMetatype>(_: Delegate.Type) -> [Symbol] {
        [
            Symbol("MCSessionDelegate", Delegate.self as any NSObjectProtocol.Type),
            Symbol(
                "MCSessionDelegate.session(_:peer:didChange:)",
                Delegate.session(_:peer:didChange:) as (Delegate) -> (MCSession, MCPeerID, MCSessionState) -> Void),
            Symbol(
                "MCSessionDelegate.session(_:didReceive:fromPeer:)",
                Delegate.session(_:didReceive:fromPeer:) as (Delegate) -> (MCSession, Data, MCPeerID) -> Void),
            Symbol(
                "MCSessionDelegate.session(_:didReceive:withName:fromPeer:)",
                Delegate.session(_:didReceive:withName:fromPeer:)
                    as (Delegate) -> (MCSession, InputStream, String, MCPeerID) -> Void),
            Symbol(
                "MCSessionDelegate.session(_:didStartReceivingResourceWithName:fromPeer:with:)",
                Delegate.session(_:didStartReceivingResourceWithName:fromPeer:with:)
                    as (Delegate) -> (MCSession, String, MCPeerID, Progress) -> Void),
            Symbol(
                "MCSessionDelegate.session(_:didFinishReceivingResourceWithName:fromPeer:at:withError:)",
                Delegate.session(_:didFinishReceivingResourceWithName:fromPeer:at:withError:)
                    as (Delegate) -> (MCSession, String, MCPeerID, URL?, (any Error)?) -> Void),
            Symbol(
                "MCSessionDelegate.session(_:didReceiveCertificate:fromPeer:certificateHandler:)",
                Delegate.session(_:didReceiveCertificate:fromPeer:certificateHandler:)
                    as (Delegate) -> (MCSession, [Any]?, MCPeerID, @escaping (Bool) -> Void) -> Void),
        ]
    }

    static func delegates<Delegate: MCNearbyServiceAdvertiserDelegate & SendableMetatype>(_: Delegate.Type) -> [Symbol]
    {
        [
            Symbol("MCNearbyServiceAdvertiserDelegate", Delegate.self as any NSObjectProtocol.Type),
            Symbol(
                "MCNearbyServiceAdvertiserDelegate"
                    + ".advertiser(_:didReceiveInvitationFromPeer:withContext:invitationHandler:)",
                Delegate.advertiser(_:didReceiveInvitationFromPeer:withContext:invitationHandler:)
                    as (Delegate) -> (
                        MCNearbyServiceAdvertiser, MCPeerID, Data?, @escaping (Bool, MCSession?) -> Void
                    ) -> Void),
            Symbol(
                "MCNearbyServiceAdvertiserDelegate.advertiser(_:didNotStartAdvertisingPeer:)",
                Delegate.advertiser(_:didNotStartAdvertisingPeer:)
                    as (Delegate) -> (MCNearbyServiceAdvertiser, any Error) -> Void),
        ]
    }

    static func delegates<Delegate: MCNearbyServiceBrowserDelegate & SendableMetatype>(_: Delegate.Type) -> [Symbol] {
        [
            Symbol("MCNearbyServiceBrowserDelegate", Delegate.self as any NSObjectProtocol.Type),
            Symbol(
                "MCNearbyServiceBrowserDelegate.browser(_:foundPeer:withDiscoveryInfo:)",
                Delegate.browser(_:foundPeer:withDiscoveryInfo:)
                    as (Delegate) -> (MCNearbyServiceBrowser, MCPeerID, [String: String]?) -> Void),
            Symbol(
                "MCNearbyServiceBrowserDelegate.browser(_:lostPeer:)",
                Delegate.browser(_:lostPeer:) as (Delegate) -> (MCNearbyServiceBrowser, MCPeerID) -> Void),
            Symbol(
                "MCNearbyServiceBrowserDelegate.browser(_:didNotStartBrowsingForPeers:)",
                Delegate.browser(_:didNotStartBrowsingForPeers:)
                    as (Delegate) -> (MCNearbyServiceBrowser, any Error) -> Void),
        ]
    }

    static func delegates<Delegate: MCAdvertiserAssistantDelegate & SendableMetatype>(_: Delegate.Type) -> [Symbol] {
        [
            Symbol("MCAdvertiserAssistantDelegate", Delegate.self as any NSObjectProtocol.Type),
            Symbol(
                "MCAdvertiserAssistantDelegate.advertiserAssistantWillPresentInvitation(_:)",
                Delegate.advertiserAssistantWillPresentInvitation(_:)
                    as (Delegate) -> (MCAdvertiserAssistant) -> Void),
            Symbol(
                "MCAdvertiserAssistantDelegate.advertiserAssistantDidDismissInvitation(_:)",
                Delegate.advertiserAssistantDidDismissInvitation(_:)
                    as (Delegate) -> (MCAdvertiserAssistant) -> Void),
        ]
    }

    static func delegates<Delegate: MCBrowserViewControllerDelegate & SendableMetatype>(_: Delegate.Type) -> [Symbol] {
        [
            Symbol("MCBrowserViewControllerDelegate", Delegate.self as any NSObjectProtocol.Type),
            Symbol(
                "MCBrowserViewControllerDelegate.browserViewControllerDidFinish(_:)",
                Delegate.browserViewControllerDidFinish(_:) as (Delegate) -> (MCBrowserViewController) -> Void),
            Symbol(
                "MCBrowserViewControllerDelegate.browserViewControllerWasCancelled(_:)",
                Delegate.browserViewControllerWasCancelled(_:) as (Delegate) -> (MCBrowserViewController) -> Void),
            Symbol(
                "MCBrowserViewControllerDelegate"
                    + ".browserViewController(_:shouldPresentNearbyPeer:withDiscoveryInfo:)",
                Delegate.browserViewController(_:shouldPresentNearbyPeer:withDiscoveryInfo:)
                    as (Delegate) -> (MCBrowserViewController, MCPeerID, [String: String]?) -> Bool),
        ]
    }
}
