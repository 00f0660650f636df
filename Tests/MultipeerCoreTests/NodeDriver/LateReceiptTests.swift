import MultipeerCore
import MultipeerDriver
import MultipeerTesting
import MultipeerWire
import Synchronization
import Testing

/// What the app takes only when the link is over still counts for its peer. Until then nobody dials a peer of which too much waits.
@Suite("Receipts of links that are over, R13.5-6")
struct LateReceiptTests {
    /// An open link over which Ben has got more than what a next link may find untaken.
    private static func full() throws -> (duo: NodeDuo, anna: NodeLine, ben: NodeLine) {
        let duo = try NodeDuo()
        let (annas, bens) = try duo.opened()
        for byte in 1...3 as ClosedRange<UInt8> {
            _ = try annas.driver.sends.enqueue([UInt8](repeating: byte, count: 65_000))
        }
        duo.exchange(annas, bens)
        _ = (duo.ben.takeReady(), duo.ben.takeDials())
        return (duo, annas, bens)
    }

    @Test("A peer is dialled as soon as the app has taken enough of a link that is over")
    func late() throws {
        let (duo, _, bens) = try Self.full()
        bens.driver.transportClosed(at: duo.now)
        #expect(duo.ben.takeDials().isEmpty && duo.ben.lateReceiptCount == 0)
        #expect(bens.takeMessages().count == 3)
        #expect(duo.ben.lateReceiptCount == 1 && duo.ben.takeDials().isEmpty)
        duo.ben.driver.lateReceipts(at: duo.now)
        #expect(duo.ben.takeDials().count == 1)
    }

    @Test("What the app took just before the transport closed counts at once")
    func justInTime() throws {
        let (duo, _, bens) = try Self.full()
        #expect(bens.takeMessages().count == 3)
        bens.driver.transportClosed(at: duo.now)
        #expect(duo.ben.lateReceiptCount == 0 && duo.ben.takeDials().count == 1)
    }

    @Test("The app takes one message after the other of a link that is over, and the driver hears of each")
    func oneByOne() throws {
        let (duo, _, bens) = try Self.full()
        let taken = ReceiptedEvents()
        bens.driver.events.forward { taken.append($0) }
        bens.driver.transportClosed(at: duo.now)
        var dials: [Int] = []
        for event in taken.messages {
            event.consume()
            duo.ben.driver.lateReceipts(at: duo.now)
            dials.append(duo.ben.takeDials().count)
        }
        // Two messages are 130,128 bytes, and at most 131,072 may wait.
        #expect(dials == [1, 0, 0] && duo.ben.lateReceiptCount == 3)
    }
}

extension LateReceiptTests {
    @Test("The driver hears of the smallest message of a link that is over")
    func small() throws {
        let duo = try NodeDuo()
        let (annas, bens) = try duo.opened()
        _ = try annas.driver.sends.enqueue([1])
        duo.exchange(annas, bens)
        bens.driver.transportClosed(at: duo.now)
        #expect(bens.takeMessages() == [[1]] && duo.ben.lateReceiptCount == 1)
    }
}

/// Messages that were passed on and that nobody has consumed.
private final class ReceiptedEvents: Sendable {
    private let state = Mutex<[ReceiptedEvent]>([])

    func append(_ event: ReceiptedEvent) {
        if case .message = event.effect { state.withLock { $0.append(event) } }
    }

    var messages: [ReceiptedEvent] { state.withLock { $0 } }
}
