import Foundation
import MultipeerConnectivity
import Testing

/// The whole surface: what is missing or has another type does not compile.
enum Surface {
    static var all: [Symbol] {
        peerIDs + sessions + sending + advertisers + browsers + assistants + viewControllers + modes + errors
            + delegates(LeastSessionDelegate.self) + delegates(LeastAdvertiserDelegate.self)
            + delegates(LeastBrowserDelegate.self)
            + delegates(LeastAssistantDelegate.self) + delegates(LeastViewControllerDelegate.self)
    }

    static var peerIDs: [Symbol] {
        [
            Symbol("MCPeerID", MCPeerID.self as any (NSObject & NSCopying & NSSecureCoding).Type),
            Symbol("MCPeerID.init(displayName:)", MCPeerID.init(displayName:) as (String) -> MCPeerID),
            .readOnly("MCPeerID.displayName", \MCPeerID.displayName as KeyPath<MCPeerID, String>),
        ]
    }

    static var sessions: [Symbol] {
        [
            Symbol("MCSession", MCSession.self as NSObject.Type),
            Symbol("MCSession.init(peer:)", MCSession.init(peer:) as (MCPeerID) -> MCSession),
            Symbol(
                "MCSession.init(peer:securityIdentity:encryptionPreference:)",
                MCSession.init(peer:securityIdentity:encryptionPreference:)
                    as (MCPeerID, [Any]?, MCEncryptionPreference) -> MCSession),
            Symbol(
                "MCSession.delegate",
                \MCSession.delegate as ReferenceWritableKeyPath<MCSession, (any MCSessionDelegate)?>),
            .readOnly("MCSession.myPeerID", \MCSession.myPeerID as KeyPath<MCSession, MCPeerID>),
            .readOnly("MCSession.securityIdentity", \MCSession.securityIdentity as KeyPath<MCSession, [Any]?>),
            .readOnly(
                "MCSession.encryptionPreference",
                \MCSession.encryptionPreference as KeyPath<MCSession, MCEncryptionPreference>),
            .readOnly("MCSession.connectedPeers", \MCSession.connectedPeers as KeyPath<MCSession, [MCPeerID]>),
            Symbol("MCSession.disconnect()", MCSession.disconnect as (MCSession) -> () -> Void),
            Symbol(
                "MCSession.nearbyConnectionData(forPeer:withCompletionHandler:)",
                MCSession.nearbyConnectionData(forPeer:withCompletionHandler:)
                    as (MCSession) -> (MCPeerID, @escaping (Data?, (any Error)?) -> Void) -> Void),
            Symbol(
                "MCSession.connectPeer(_:withNearbyConnectionData:)",
                MCSession.connectPeer(_:withNearbyConnectionData:) as (MCSession) -> (MCPeerID, Data) -> Void),
            Symbol(
                "MCSession.cancelConnectPeer(_:)",
                MCSession.cancelConnectPeer(_:) as (MCSession) -> (MCPeerID) -> Void),
        ]
    }

    static var sending: [Symbol] {
        [
            Symbol(
                "MCSession.send(_:toPeers:with:)",
                MCSession.send(_:toPeers:with:)
                    as (MCSession) -> (Data, [MCPeerID], MCSessionSendDataMode) throws -> Void),
            Symbol(
                "MCSession.sendResource(at:withName:toPeer:withCompletionHandler:)",
                MCSession.sendResource(at:withName:toPeer:withCompletionHandler:)
                    as (MCSession) -> (URL, String, MCPeerID, (((any Error)?) -> Void)?) -> Progress?),
            Symbol(
                "MCSession.startStream(withName:toPeer:)",
                MCSession.startStream(withName:toPeer:) as (MCSession) -> (String, MCPeerID) throws -> OutputStream),
        ]
    }

    static var advertisers: [Symbol] {
        [
            Symbol("MCNearbyServiceAdvertiser", MCNearbyServiceAdvertiser.self as NSObject.Type),
            Symbol(
                "MCNearbyServiceAdvertiser.init(peer:discoveryInfo:serviceType:)",
                MCNearbyServiceAdvertiser.init(peer:discoveryInfo:serviceType:)
                    as (MCPeerID, [String: String]?, String) -> MCNearbyServiceAdvertiser),
            Symbol(
                "MCNearbyServiceAdvertiser.delegate",
                \MCNearbyServiceAdvertiser.delegate
                    as ReferenceWritableKeyPath<
                        MCNearbyServiceAdvertiser, (any MCNearbyServiceAdvertiserDelegate)?
                    >),
            .readOnly(
                "MCNearbyServiceAdvertiser.myPeerID",
                \MCNearbyServiceAdvertiser.myPeerID as KeyPath<MCNearbyServiceAdvertiser, MCPeerID>),
            .readOnly(
                "MCNearbyServiceAdvertiser.discoveryInfo",
                \MCNearbyServiceAdvertiser.discoveryInfo as KeyPath<MCNearbyServiceAdvertiser, [String: String]?>),
            .readOnly(
                "MCNearbyServiceAdvertiser.serviceType",
                \MCNearbyServiceAdvertiser.serviceType as KeyPath<MCNearbyServiceAdvertiser, String>),
            Symbol(
                "MCNearbyServiceAdvertiser.startAdvertisingPeer()",
                MCNearbyServiceAdvertiser.startAdvertisingPeer as (MCNearbyServiceAdvertiser) -> () -> Void),
            Symbol(
                "MCNearbyServiceAdvertiser.stopAdvertisingPeer()",
                MCNearbyServiceAdvertiser.stopAdvertisingPeer as (MCNearbyServiceAdvertiser) -> () -> Void),
        ]
    }

    static var browsers: [Symbol] {
        [
            Symbol("MCNearbyServiceBrowser", MCNearbyServiceBrowser.self as NSObject.Type),
            Symbol(
                "MCNearbyServiceBrowser.init(peer:serviceType:)",
                MCNearbyServiceBrowser.init(peer:serviceType:) as (MCPeerID, String) -> MCNearbyServiceBrowser),
            Symbol(
                "MCNearbyServiceBrowser.delegate",
                \MCNearbyServiceBrowser.delegate
                    as ReferenceWritableKeyPath<MCNearbyServiceBrowser, (any MCNearbyServiceBrowserDelegate)?>),
            .readOnly(
                "MCNearbyServiceBrowser.myPeerID",
                \MCNearbyServiceBrowser.myPeerID as KeyPath<MCNearbyServiceBrowser, MCPeerID>),
            .readOnly(
                "MCNearbyServiceBrowser.serviceType",
                \MCNearbyServiceBrowser.serviceType as KeyPath<MCNearbyServiceBrowser, String>),
            Symbol(
                "MCNearbyServiceBrowser.startBrowsingForPeers()",
                MCNearbyServiceBrowser.startBrowsingForPeers as (MCNearbyServiceBrowser) -> () -> Void),
            Symbol(
                "MCNearbyServiceBrowser.stopBrowsingForPeers()",
                MCNearbyServiceBrowser.stopBrowsingForPeers as (MCNearbyServiceBrowser) -> () -> Void),
            Symbol(
                "MCNearbyServiceBrowser.invitePeer(_:to:withContext:timeout:)",
                MCNearbyServiceBrowser.invitePeer(_:to:withContext:timeout:)
                    as (MCNearbyServiceBrowser) -> (MCPeerID, MCSession, Data?, TimeInterval) -> Void),
        ]
    }
}
