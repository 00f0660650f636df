import MultipeerCrypto
import MultipeerTesting
import Testing

@testable import MultipeerCore

@Suite("The window of datagrams against a set, R26.4-2")
struct DatagramWindowTests {
    @Test("A counter passes where the rule says so, whatever came before", arguments: 0..<20 as Range<UInt64>)
    func model(seed: UInt64) {
        var random = SeededRandomSource(seed: seed)
        func draw(_ bound: UInt64) -> UInt64 { random.bytes(4).reduce(0) { $0 << 8 | UInt64($1) } % bound }
        var window = DatagramWindow()
        var marked: Set<UInt64> = []
        var greatest: UInt64?
        for _ in 0..<4_000 {
            let near = greatest ?? 0
            let counter =
                switch draw(8) {
                case 0: near &+ draw(70_000)
                case 1: near &+ 2_040 + draw(16)
                case 2: near - min(near, 2_040 + draw(16))
                case 3: near - min(near, draw(2_048))
                default: near &+ draw(4)
                }
            let expected =
                if let greatest {
                    counter > greatest
                        ? counter - greatest <= 65_536 : greatest - counter < 2_048 && !marked.contains(counter)
                } else {
                    counter <= 65_535
                }
            #expect(window.passes(counter) == expected, "\(counter) after \(String(describing: greatest))")
            guard expected, draw(3) > 0 else { continue }
            window.mark(counter)
            marked.insert(counter)
            greatest = max(greatest ?? counter, counter)
        }
        #expect(window.greatest == greatest && window.count == UInt64(marked.count))
    }
}
