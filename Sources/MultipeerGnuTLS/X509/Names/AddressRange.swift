/// An iPAddress constraint: an address and a mask of the same length, network order (RFC 5280 §4.2.1.10, RFC 4632).
struct AddressRange {
    private let address: [UInt8]
    private let mask: [UInt8]

    /// Nil unless there are 8 or 32 octets and the mask is a prefix of ones.
    init?(_ octets: [UInt8]) {
        guard octets.count == 8 || octets.count == 32 else { return nil }
        address = Array(octets.prefix(octets.count / 2))
        mask = Array(octets.suffix(octets.count / 2))
        var isPastPrefix = false
        for octet in mask {
            guard !isPastPrefix || octet == 0 else { return nil }
            // Ones first: the complement of a prefix is a power of two less one.
            guard ~octet & (~octet &+ 1) == 0 else { return nil }
            isPastPrefix = octet != 0xFF
        }
    }

    func contains(_ candidate: [UInt8]) -> Bool {
        guard candidate.count == address.count else { return false }
        return candidate.indices.allSatisfy { candidate[$0] & mask[$0] == address[$0] & mask[$0] }
    }
}
