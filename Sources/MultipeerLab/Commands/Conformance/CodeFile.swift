import Foundation
import MultipeerConformance
import MultipeerCrypto
import Synchronization

/// What a peer prints, in a file: the last code in it is the one that it shows.
final class CodeFile: CodeSource {
    private let path: String
    /// Codes for which CODE_CONFIRM has gone: the peer shows another one, as soon as it does.
    private let burned = Mutex<Set<OneTimeCode>>([])

    init(path: String) { self.path = path }

    func code(until deadline: Deadline) -> OneTimeCode? {
        while true {
            if let code = newest, !burned.withLock({ $0.contains(code) }) { return code }
            if deadline.hasPassed { return nil }
            Thread.sleep(forTimeInterval: 0.02)
        }
    }

    func burned(_ code: OneTimeCode) { burned.withLock { _ = $0.insert(code) } }

    private var newest: OneTimeCode? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        let found = text.matches(of: /[1-9][0-9]{0,2}-[a-z]{4,7}-[a-z]{4,7}/)
        return found.reversed().lazy.compactMap { OneTimeCode(typed: String($0.output)) }.first
    }
}
