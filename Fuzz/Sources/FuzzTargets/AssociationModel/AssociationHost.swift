import FuzzSupport
import MultipeerCore
import MultipeerCrypto
import MultipeerWire

/// A peer of an association whose app a target plays: a link, or the association alone. Both are compared with one
/// model.
protocol AssociationHost: AnyObject {
    var association: ModelAssociation { get set }
    /// Whether the link is open for its app; and whether it is open for its peer, also while it drains (SPEC §17).
    var isOpenForApp: Bool { get }
    var isLive: Bool { get }
    /// Whether a deadline has passed of which the peer has not been notified.
    var isLate: Bool { get }
    /// Bytes that may still be made up.
    var budget: Int { get set }

    /// Asks. `isAllowed` says, once deadlines have acted, whether it must be taken; what is taken changes the model.
    func ask(
        _ name: String, isAllowed: @autoclosure () -> Bool, _ change: (inout ModelAssociation) -> Void,
        _ body: () throws -> Void
    ) throws
    /// What the app heard and what is sent is compared.
    func settle() throws

    // What apps ask.
    func send(_ message: [UInt8]) throws -> MessageTag
    func takeBack(_ message: MessageTag) -> Bool
    func releaseCredit(_ credit: UInt64)
    func openStream(_ name: String, credit: UInt64) throws -> StreamID
    func write(_ bytes: [UInt8], to stream: StreamID) throws
    func finish(_ stream: StreamID) throws
    func reset(_ stream: StreamID, code: UInt64) throws
    func stop(_ stream: StreamID, code: UInt64) throws
    func releaseCredit(_ count: Int, of stream: StreamID)
    func tookEnd(of stream: StreamID)
    func offer(_ offer: OutgoingOffer) throws -> FileID
    func submit(_ beginning: HeldBeginning, of file: FileID) throws
    func supply(_ chunk: [UInt8], to file: FileID) throws
    func cancel(_ file: FileID, _ reason: FileCancel.Reason) throws
    func accept(_ file: FileID, _ held: HeldBeginning?) throws
    func refuse(_ file: FileID, _ reason: FileCancel.Reason) throws
    func confirm(_ file: FileID) throws
    func releaseCredit(_ count: Int, of file: FileID)
    func tookEnd(of file: FileID)
    /// What the package calls a number that a model knows.
    var names: AssociationNames { get set }
}

/// The package's own names of what has a number.
struct AssociationNames {
    var streams: [UInt64: StreamID] = [:]
    var files: [UInt64: FileID] = [:]
    var messages: [MessageTag] = []
}

extension AssociationHost {
    /// Looks at an effect. False if it is to be compared with the model's events.
    func note(_ effect: LinkEffect) throws -> Bool {
        switch effect {
        case .messages(let range, .notSent): try settle(range, isInDoubt: false)
        case .messages(let range, .inDoubt): try settle(range, isInDoubt: true)
        case .stream(.opened(let id, _)):
            names.streams[id.rawValue] = id
            return false
        // Advice to the app, which SPEC.md does not know.
        case .stream(.writable), .stream(.mayOpen), .messageStalled: break
        case .stream(.ended(let id, .linkEnded)), .stream(.stopped(let id, code: nil)):
            try require(names.streams[id.rawValue] != nil, "the end of a stream that nobody opened")
        case .incomingFile(.offered(let offer)):
            names.files[offer.file.rawValue] = offer.file
            try SessionFileNames.check(offer.localName)
            return false
        case .outgoingFile(.wanted(let id, let offset, let maximum)):
            try association.want(id.rawValue, offset: offset, maximum: maximum)
        // R16.1-5: what is given up when the app closes is reported by itself, or by the end of the link.
        case .incomingFile(.ended(_, .interrupted, byPeer: false)),
            .outgoingFile(.ended(_, .interrupted, byPeer: false)):
            return association.isAbandoned
        default: return false
        }
        return true
    }

    private func settle(_ range: MessageRange, isInDoubt: Bool) throws(OracleFailure) {
        for tag in range.first.number...range.last.number { try association.settle(tag, isInDoubt: isInDoubt) }
    }
}
