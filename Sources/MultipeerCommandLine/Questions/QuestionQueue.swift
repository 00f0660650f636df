import Multipeer
import MultipeerCrypto

/// The questions that wait for an answer, in the order in which they came. The first one may be on the terminal.
package struct QuestionQueue {
    /// Strangers never take all places, wherever they come from: some are for peers that were met before.
    private var places = CallerPlaces(16)
    private var entries: [(number: Int, question: any Question)] = []
    private var lastNumber = 0
    /// The number of the question on the terminal.
    private var asked: Int?

    /// Adds a question. Returns its number, or nil if there is no room for it.
    package mutating func add(_ question: any Question) -> Int? {
        guard places.take(question.caller) else { return nil }
        lastNumber += 1
        entries.append((lastNumber, question))
        return lastNumber
    }

    /// Returns the next question for the terminal, or nil if there is none or one is on the terminal.
    package mutating func begin() -> (number: Int, question: any Question)? {
        guard asked == nil, let first = entries.first else { return nil }
        asked = first.number
        return first
    }

    /// Removes a question. Returns whether it was on the terminal.
    package mutating func remove(_ number: Int) -> Bool {
        for entry in entries where entry.number == number { places.giveBack(entry.question.caller) }
        entries.removeAll { $0.number == number }
        guard asked == number else { return false }
        asked = nil
        return true
    }
}
