import Foundation
import MultipeerConnectivity
import Testing

extension Surface {
    static var modes: [Symbol] {
        [
            Symbol("MCSessionSendDataMode", MCSessionSendDataMode.self),
            .value("MCSessionSendDataMode.reliable", MCSessionSendDataMode.reliable, 0),
            .value("MCSessionSendDataMode.unreliable", MCSessionSendDataMode.unreliable, 1),
            Symbol("MCSessionState", MCSessionState.self),
            .value("MCSessionState.notConnected", MCSessionState.notConnected, 0),
            .value("MCSessionState.connecting", MCSessionState.connecting, 1),
            .value("MCSessionState.connected", MCSessionState.connected, 2),
            Symbol("MCEncryptionPreference", MCEncryptionPreference.self),
            .value("MCEncryptionPreference.optional", MCEncryptionPreference.optional, 0),
            .value("MCEncryptionPreference.required", MCEncryptionPreference.required, 1),
            .value("MCEncryptionPreference.none", MCEncryptionPreference.none, 2),
            Symbol("kMCSessionMinimumNumberOfPeers=\(kMCSessionMinimumNumberOfPeers as Int)", ()),
            Symbol("kMCSessionMaximumNumberOfPeers=\(kMCSessionMaximumNumberOfPeers as Int)", ()),
        ]
    }

    static var errors: [Symbol] {
        [
            Symbol("MCErrorDomain", MCErrorDomain as String),
            Symbol("MCError", MCError.self as any (CustomNSError & Hashable).Type),
            Symbol("MCError.Code", MCError.Code.self),
            .value("MCError.Code.unknown", MCError.Code.unknown, 0),
            .value("MCError.Code.notConnected", MCError.Code.notConnected, 1),
            .value("MCError.Code.invalidParameter", MCError.Code.invalidParameter, 2),
            .value("MCError.Code.unsupported", MCError.Code.unsupported, 3),
            .value("MCError.Code.timedOut", MCError.Code.timedOut, 4),
            .value("MCError.Code.cancelled", MCError.Code.cancelled, 5),
            .value("MCError.Code.unavailable", MCError.Code.unavailable, 6),
        ]
    }
}
