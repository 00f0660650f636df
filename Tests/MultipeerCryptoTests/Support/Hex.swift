import MultipeerCrypto
import MultipeerTestSupport

/// Bytes written in hexadecimal; spaces are for the reader.
func hex(_ text: String) -> [UInt8] {
    guard let bytes = Hexadecimal.decode(text.filter { !$0.isWhitespace }) else {
        fatalError("no hexadecimal: \(text)")
    }
    return bytes
}

/// Bytes of a JSON string in hexadecimal.
struct HexBytes: Decodable, Hashable {
    let bytes: [UInt8]

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let bytes = Hexadecimal.decode(text) else { throw ExternalVectors.Fault.notHexadecimal(text) }
        self.bytes = bytes
    }
}
