import MultipeerCore

/// What the app has taken of messages, streams and files, for the credit of the peer.
struct ConsumedCredit {
    /// From when on the driver is woken. An end counts as much as an eighth of it.
    private static let worth: UInt64 = 16_384

    /// Credit of messages.
    private(set) var messages: UInt64 = 0
    /// Messages that came as datagrams: how many, and their bytes.
    private(set) var datagrams = (count: 0, bytes: 0)
    private(set) var streamBytes: [StreamID: Int] = [:]
    private(set) var streamEnds: [StreamID] = []
    private(set) var fileBytes: [FileID: Int] = [:]
    private(set) var fileEnds: [FileID] = []
    private var weight: UInt64 = 0

    var isEmpty: Bool { weight == 0 }
    var isWorthTelling: Bool { weight >= Self.worth }

    mutating func add(_ event: LinkEffect) {
        switch event {
        case .message(let bytes):
            let credit = Link.messageCredit(ofLength: bytes.count)
            messages += credit
            weight += credit
        case .datagram(let bytes):
            datagrams.count += 1
            datagrams.bytes += bytes.count
            weight += Link.messageCredit(ofLength: bytes.count)
        case .stream(.data(let stream, let bytes)):
            streamBytes[stream, default: 0] += bytes.count
            weight += UInt64(bytes.count)
        case .stream(.ended(let stream, _)):
            streamEnds.append(stream)
            weight += Self.worth / 8
        case .incomingFile(.data(let file, let bytes)):
            fileBytes[file, default: 0] += bytes.count
            weight += UInt64(bytes.count)
        case .incomingFile(.ended(let file, _, _)):
            fileEnds.append(file)
            weight += Self.worth / 8
        default: break
        }
    }
}
