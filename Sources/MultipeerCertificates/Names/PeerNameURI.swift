public import MultipeerCrypto

/// The URI by which our own authority names a peer in a certificate: `multipeer:peer/` and the display name,
/// percent-encoded (SPEC §10.8). It holds every display name, where a host name holds few.
public enum PeerNameURI {
    private static let prefix = "multipeer:peer/"

    /// The URI of `name`: all but RFC 3986's unreserved characters is percent-encoded, with uppercase digits.
    public static func uri(for name: DisplayName) -> String {
        var uri = prefix
        for byte in name.utf8Bytes {
            if isUnreserved(byte) {
                uri.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                uri += "%" + Hexadecimal.encode([byte]).uppercased()
            }
        }
        return uri
    }

    /// Whether a URI names a peer.
    public static func isPeerName(_ uri: String) -> Bool { uri.utf8.starts(with: prefix.utf8) }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
