/// Numbers of bytes as people read them.
public enum ByteCount {
    /// The number in the unit that leaves one to four digits.
    public static func text(_ bytes: UInt64) -> String {
        var value = bytes
        for unit in ["B", "KiB", "MiB", "GiB"] {
            if value < 10_240 { return "\(value) \(unit)" }
            value /= 1_024
        }
        return "\(value) TiB"
    }

    /// The number of bytes, if ``text(_:)`` says it in a larger unit; nil if it says the same.
    public static func exact(_ bytes: UInt64) -> String? { bytes < 10_240 ? nil : "\(bytes) bytes" }
}
