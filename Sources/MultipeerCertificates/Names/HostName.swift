/// The preferred name syntax of host names (RFC 1034 §3.5 as RFC 1123 §2.1 changes it), ASCII only.
public enum HostName {
    /// The most bytes of a name without its trailing dot (RFC 1035 §2.3.4).
    public static let maximumLength = 253

    /// Whether `name` is one or more labels of letters, digits and inner hyphens, at most 63 bytes each.
    public static func isValid(_ name: [UInt8]) -> Bool {
        guard !name.isEmpty, name.count <= maximumLength else { return false }
        return name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy(isLabel)
    }

    private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
        guard let first = label.first, let last = label.last, label.count <= 63 else { return false }
        return first != UInt8(ascii: "-") && last != UInt8(ascii: "-") && label.allSatisfy(isLetterDigitHyphen)
    }

    private static func isLetterDigitHyphen(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
