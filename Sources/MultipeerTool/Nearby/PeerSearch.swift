import Multipeer
import MultipeerCrypto

/// Whom a person means by a text: a name, a label, or the beginning of a tag or of a known key.
struct PeerSearch: Sendable {
    /// The fewest digits that count as the beginning of a tag or key.
    private static let fewestDigits = 4

    let text: String

    func matches(_ peer: NearbyPeer) -> Bool {
        if peer.displayName?.description == text || peer.known?.displayName?.description == text { return true }
        let digits = text.lowercased()
        guard digits.count >= Self.fewestDigits, digits.allSatisfy(\.isHexDigit) else { return false }
        return peer.id.description.hasPrefix(digits) || peer.known?.key.description.hasPrefix(digits) == true
    }
}
