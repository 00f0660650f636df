import Foundation
import MultipeerConnectivity
import Testing

extension Surface {
    static var assistants: [Symbol] {
        [
            Symbol("MCAdvertiserAssistant", MCAdvertiserAssistant.self as NSObject.Type),
            Symbol(
                "MCAdvertiserAssistant.init(serviceType:discoveryInfo:session:)",
                MCAdvertiserAssistant.init(serviceType:discoveryInfo:session:)
                    as (String, [String: String]?, MCSession) -> MCAdvertiserAssistant),
            Symbol(
                "MCAdvertiserAssistant.delegate",
                \MCAdvertiserAssistant.delegate
                    as ReferenceWritableKeyPath<MCAdvertiserAssistant, (any MCAdvertiserAssistantDelegate)?>),
            .readOnly(
                "MCAdvertiserAssistant.session",
                \MCAdvertiserAssistant.session as KeyPath<MCAdvertiserAssistant, MCSession>),
            .readOnly(
                "MCAdvertiserAssistant.discoveryInfo",
                \MCAdvertiserAssistant.discoveryInfo as KeyPath<MCAdvertiserAssistant, [String: String]?>),
            .readOnly(
                "MCAdvertiserAssistant.serviceType",
                \MCAdvertiserAssistant.serviceType as KeyPath<MCAdvertiserAssistant, String>),
            Symbol(
                "MCAdvertiserAssistant.start()",
                MCAdvertiserAssistant.start as (MCAdvertiserAssistant) -> () -> Void),
            Symbol(
                "MCAdvertiserAssistant.stop()", MCAdvertiserAssistant.stop as (MCAdvertiserAssistant) -> () -> Void),
        ]
    }

    static var viewControllers: [Symbol] {
        [
            Symbol("MCBrowserViewController", MCBrowserViewController.self as NSObject.Type),
            Symbol(
                "MCBrowserViewController.init(serviceType:session:)",
                MCBrowserViewController.init(serviceType:session:) as (String, MCSession) -> MCBrowserViewController),
            Symbol(
                "MCBrowserViewController.init(browser:session:)",
                MCBrowserViewController.init(browser:session:)
                    as (MCNearbyServiceBrowser, MCSession) -> MCBrowserViewController),
            Symbol(
                "MCBrowserViewController.delegate",
                \MCBrowserViewController.delegate
                    as ReferenceWritableKeyPath<MCBrowserViewController, (any MCBrowserViewControllerDelegate)?>),
            // Apple's header says nullable.
            .readOnly(
                "MCBrowserViewController.browser",
                \MCBrowserViewController.browser as KeyPath<MCBrowserViewController, MCNearbyServiceBrowser?>),
            .readOnly(
                "MCBrowserViewController.session",
                \MCBrowserViewController.session as KeyPath<MCBrowserViewController, MCSession>),
            Symbol(
                "MCBrowserViewController.minimumNumberOfPeers",
                \MCBrowserViewController.minimumNumberOfPeers
                    as ReferenceWritableKeyPath<MCBrowserViewController, Int>),
            Symbol(
                "MCBrowserViewController.maximumNumberOfPeers",
                \MCBrowserViewController.maximumNumberOfPeers
                    as ReferenceWritableKeyPath<MCBrowserViewController, Int>),
        ]
    }
}
