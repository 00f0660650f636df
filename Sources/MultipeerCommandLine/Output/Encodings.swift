import MultipeerCrypto

/// Hexadecimal text for people and programs.
package enum Hex {
    package static func encode(_ bytes: [UInt8]) -> String { Hexadecimal.encode(bytes) }

    /// Returns `0x` and at least `digits` digits.
    package static func number(_ value: UInt64, digits: Int = 2) -> String {
        let text = String(value, radix: 16)
        return "0x" + String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
