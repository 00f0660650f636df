import Foundation

/// What a hand does with the remote: nine bytes on the way.
struct Gesture: Equatable {
    enum Kind: UInt8 { case move, click }

    var kind: Kind
    /// Where the pointer is, not how far it went: a gesture that is lost leaves no trace.
    var x: Int32
    var y: Int32

    init(_ kind: Kind, x: Int32, y: Int32) {
        (self.kind, self.x, self.y) = (kind, x, y)
    }

    var data: Data {
        var data = Data([kind.rawValue])
        for value in [x, y] { withUnsafeBytes(of: value.bigEndian) { data.append(contentsOf: $0) } }
        return data
    }

    /// Nil for what is no gesture.
    init?(_ data: Data) {
        guard data.count == 9, let first = data.first, let kind = Kind(rawValue: first) else { return nil }
        func number(_ bytes: Data) -> Int32 { Int32(bitPattern: bytes.reduce(0) { $0 << 8 | UInt32($1) }) }
        self.init(kind, x: number(data.dropFirst().prefix(4)), y: number(data.suffix(4)))
    }
}
