/// PADDING, which hides how long the rest of a record is (SPEC §6.5).
public enum Padding {
    /// What the length of a record that is sent before its link is open is a multiple of, in bytes (R6.5-1).
    public static let unit = 1_024
    /// The same for a record that holds CERTIFICATES.
    public static let certificatesUnit = 4_096

    /// Returns how many bytes of PADDING a record of `length` bytes needs, so that its length is a multiple of `unit`.
    ///
    /// One byte cannot be filled by a frame. A record that lacks one byte is filled up to the next multiple.
    public static func length(forRecord length: Int, unit: Int) -> Int {
        let missing = (unit - length % unit) % unit
        return missing == 1 ? 1 + unit : missing
    }

    /// Appends `count` bytes of PADDING, with payloads of zero bytes.
    /// - Precondition: `count` is 0, or from 2 to 16,386.
    @_lifetime(output: copy output)
    public static func append(_ count: Int, to output: inout OutputSpan<UInt8>) {
        switch count {
        case 0: break
        // A payload of 64 bytes has a length of two bytes, so one frame can have 65 or 67 bytes, and not 66.
        case 66:
            appendFrame(payload: 0, to: &output)
            appendFrame(payload: 62, to: &output)
        case ...65: appendFrame(payload: count - 2, to: &output)
        default: appendFrame(payload: count - 3, to: &output)
        }
    }

    @_lifetime(output: copy output)
    private static func appendFrame(payload: Int, to output: inout OutputSpan<UInt8>) {
        output.appendVarint(FrameType.padding.rawValue)
        output.appendVarint(UInt64(payload))
        output.append(repeating: 0, count: payload)
    }
}
