import Testing

@testable import MultipeerCore

@Suite("A queue returns its elements in order")
struct DrainQueueTests {
    /// What the queue has to do, by an array.
    @Test("It behaves as an array does, in all operations", arguments: 0..<8)
    func model(seed: UInt64) {
        var dice = SplitMix(seed: seed)
        var (queue, model, last) = (DrainQueue<Int>(), [Int](), 0)
        for _ in 0..<4_000 {
            switch dice.next() % 8 {
            case 0, 1, 2:
                last += 1
                queue.append(last)
                model.append(last)
            // Bursts, so that many wait, and all are taken.
            case 3 where dice.next() % 64 == 0:
                for _ in 0..<200 {
                    last += 1
                    queue.append(last)
                    model.append(last)
                }
            case 4 where dice.next() % 64 == 0:
                while let element = queue.next() { #expect(element == model.removeFirst()) }
            case 5:
                let meant = (model.first ?? 0) + Int(dice.next() % 4)
                let index = model.firstIndex(of: meant)
                #expect(queue.remove(where: { $0 == meant }) == index.map { model.remove(at: $0) })
            case 6:
                guard let first = queue.takeFirst() else { break }
                queue.putBack(first)
            default: #expect(queue.next() == (model.isEmpty ? nil : model.removeFirst()))
            }
            #expect(queue.first == model.first && queue.count == model.count && queue.isEmpty == model.isEmpty)
        }
        while let element = queue.next() { #expect(element == model.removeFirst()) }
        #expect(model.isEmpty)
    }

    @Test("The memory of a burst is freed, and that of a few elements is kept")
    func memory() {
        var queue = DrainQueue<Int>()
        for element in 0..<5_000 { queue.append(element) }
        #expect(queue.keptCapacity >= 4_999)
        while queue.next() != nil {}
        #expect(queue.keptCapacity == 0)
        for element in 0..<20 { queue.append(element) }
        while queue.next() != nil {}
        #expect(queue.keptCapacity >= 19)
    }

    @Test("An element that is put back is the first again, and removed ones make room")
    func putBack() {
        var queue = DrainQueue<Int>()
        for element in 1...3 { queue.append(element) }
        #expect(queue.takeFirst() == 1)
        queue.putBack(1)
        #expect(queue.takeFirst() == 1)
        queue.moveUp()
        #expect(queue.next() == 2 && queue.next() == 3 && queue.next() == nil)
    }
}
