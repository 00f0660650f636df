package import MultipeerCrypto
package import MultipeerScriptedPeer
import MultipeerWire

/// A sender that numbers its streams and files (SPEC §13.2).
package protocol NumberingSender {
    /// Whether the sender's identity key is the lesser one, so that its numbers are even.
    var hasLesserKey: Bool { get }
}

extension NumberingSender {
    /// The number of the sender's stream or file with this index: 0, 1, 2 … in the order in which it begins them.
    package func ownNumber(_ index: UInt64 = 0) -> UInt64 { 2 * index + (hasLesserKey ? 0 : 1) }

    /// The same for the receiver.
    package func receiversNumber(_ index: UInt64 = 0) -> UInt64 { 2 * index + (hasLesserKey ? 1 : 0) }
}

/// A sender of frames on a whole link, as far as rules know it.
package protocol LinkSender: NumberingSender {
    /// The link, and the sender's identity.
    var scripted: ScriptedPeer { get }
    /// What the sender's PEER_INFO says.
    var displayName: [UInt8] { get }
    var features: [UInt16] { get }
    /// Of sessions that the sender founds, and of those that others have founded.
    var nonce: [UInt8] { get }
    var sessionNonce: [UInt8] { get }
    /// The handshake hash of some other link.
    var otherHash: [UInt8] { get }
    /// What the receiver's PEER_INFO says.
    func receiversMaximum() throws -> UInt64
    /// Somebody else, always the same one under one name.
    func somebody(_ name: String) throws -> any IdentitySigner
}

extension LinkSender {
    package var key: [UInt8] { scripted.identity.identityKey.rawBytes }
    /// Empty as long as the receiver has not shown it.
    package var receiversKey: [UInt8] { scripted.peerKey ?? [] }
    package var hasLesserKey: Bool { key.lexicographicallyPrecedes(receiversKey) }

    package func proof() throws -> [UInt8] { try scripted.proof().encoded() }

    package func peerInfo(fields: [UInt8] = []) -> [UInt8] {
        WireBytes.peerInfo(name: displayName, maximumMessage: 4_096, features: features, fields: fields)
    }

    /// A session that the sender founded.
    package var charter: [UInt8] { WireBytes.charter(founder: key, nonce: nonce) }

    /// INVITE to it, unless said otherwise.
    package func invite(
        preference: UInt8 = 1, identityKind: UInt8 = 0, timeout: UInt64 = 30_000,
        context: [UInt8] = Array("play?".utf8),
        fields: [UInt8] = [], charter: [UInt8]? = nil, sessionKind: UInt8 = 1, rest: [UInt8] = []
    ) -> [UInt8] {
        WireBytes.invite(
            charter: charter ?? self.charter, sessionKind: sessionKind, preference: preference,
            identityKind: identityKind, timeout: timeout, context: context, fields: fields, rest: rest)
    }

    // MARK: Sessions of others

    /// The charter of a session that somebody has founded.
    package func session(by founder: String = "a founder") throws -> [UInt8] {
        WireBytes.charter(founder: try somebody(founder).identityKey.rawBytes, nonce: sessionNonce)
    }

    /// A chain of one admission to that session, by its founder.
    package func chain(of member: [UInt8], by founder: String = "a founder") throws -> [UInt8] {
        try scripted.admission(of: member, to: try session(by: founder), by: try somebody(founder))
    }

    // MARK: Files

    package func fileOffer(
        _ index: UInt64 = 0, size: UInt64 = 5, name: [UInt8] = Array("hello.txt".utf8), fields: [UInt8] = []
    )
        -> [UInt8]
    {
        WireBytes.fileOffer(ownNumber(index), size: size, name: name, fields: fields)
    }

    package func fileData(_ index: UInt64 = 0, at offset: UInt64 = 0, _ text: String = "hello") -> [UInt8] {
        WireBytes.fileData(ownNumber(index), offset: offset, Array(text.utf8))
    }

    package func fileEnd(_ index: UInt64 = 0, of text: String = "hello") -> [UInt8] {
        WireBytes.fileEnd(ownNumber(index), digest: scripted.sha256(Array(text.utf8)))
    }

    package func fileCancel(_ index: UInt64 = 0) -> [UInt8] { WireBytes.fileCancel(ownNumber(index)) }
}

/// Short forms of frames.
extension WireBytes {
    package static func message(_ text: String, total: UInt64? = nil) -> [UInt8] {
        message(Array(text.utf8), total: total)
    }
    package static func part(_ text: String) -> [UInt8] { part(Array(text.utf8)) }
    package static func credit(_ kind: UInt8, _ id: UInt64 = 0, _ limit: UInt64) -> [UInt8] {
        credit(kind, id: id, limit: limit)
    }
    package static func opening(_ id: UInt64, credit: UInt64 = 32_768, name: String = "chat") -> [UInt8] {
        streamOpen(id, credit: credit, name: Array(name.utf8))
    }
    package static func streamData(_ id: UInt64, _ text: String) -> [UInt8] { streamData(id, Array(text.utf8)) }
    package static func streamEnd(_ id: UInt64, _ size: UInt64) -> [UInt8] { streamEnd(id, size: size) }
    package static func streamReset(_ id: UInt64, _ code: UInt64) -> [UInt8] { streamReset(id, code: code) }
    package static func streamStop(_ id: UInt64, _ code: UInt64) -> [UInt8] { streamStop(id, code: code) }
}
