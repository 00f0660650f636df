/// A name that a certificate must carry among its subject alternative names. The common name never counts.
public enum ExpectedName: Hashable, Sendable {
    /// A host name in ASCII (A-labels); a `*` as the whole leftmost label of the certificate's name matches one label.
    case dns(String)
    /// An address: 4 or 16 bytes, network order.
    case ip([UInt8])
    /// A mailbox; the part after the `@` is compared without regard to case, the part before it exactly.
    case email(String)
    /// A URI, compared byte by byte.
    case uri(String)
}
