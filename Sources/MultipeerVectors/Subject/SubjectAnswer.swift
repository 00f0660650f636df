/// What an implementation says about one case of a stateless group (Vectors/SHIM.md).
public enum SubjectAnswer: Equatable, Sendable {
    /// The input is accepted. The value has the members of the vector's `expected`.
    case accepted(JSONValue)
    /// The input is rejected. `expected` has what was released before the fault.
    case rejected(layer: String, code: String, expected: JSONValue)
    /// There is no fault, and more bytes are needed.
    case incomplete(JSONValue)
    /// The implementation lacks this.
    case unimplemented
}

/// What a link has done since it was last asked.
public struct LinkPoll: Equatable, Sendable {
    /// All bytes sent.
    public var sends: [UInt8]
    /// All events.
    public var events: [JSONValue]
    /// All frames that a node has sent, by the script's number of the link; empty for a link.
    public var links: [Int: [UInt8]] = [:]
    /// All packets that a path has sent.
    public var packets: [Packet] = []
    /// The digest of a node's roster.
    public var digest: [UInt8]?
    /// When the next deadline is, in milliseconds of the link's clock.
    public var deadline: Int?

    /// A datagram, and the port to which it goes.
    public struct Packet: Equatable, Sendable {
        public let port: Int
        public let bytes: [UInt8]
    }

    /// Creates a value from its parts.
    public init(sends: [UInt8] = [], events: [JSONValue] = [], deadline: Int? = nil) {
        self.sends = sends
        self.events = events
        self.deadline = deadline
    }
}

/// Why an implementation gave no answer that can be compared.
public enum SubjectFault: Error, Equatable, Sendable {
    /// It did not answer in time.
    case hang
    /// It ended, or wrote something that is not an answer.
    case fault(String)
    /// It says that it does not implement a part of what the case asks.
    case unimplemented
    /// The question cannot be asked: the vector's inputs lack something, or are of another form.
    case badQuestion(String)
    /// It does not do the same when asked in another way: in pieces, or encoding what it decoded.
    case inconsistent(String)
}

/// An implementation that can be asked what Vectors/SHIM.md describes.
public protocol VectorSubject: AnyObject {
    /// One case of a stateless group.
    func test(
        _ group: VectorGroupType, params: JSONValue, inputs: JSONValue
    ) throws(SubjectFault) -> SubjectAnswer

    /// Begins a link for a `LinkScript`, an association for an `AssociationScript`, or a node for a `NodeScript`. Returns
    /// nil if the subject has none to offer.
    func makeLink(_ group: VectorGroupType, params: JSONValue) throws(SubjectFault) -> Int?

    /// A step whose actor is `peer`, `clock` or `app`.
    func step(link: Int, _ step: JSONValue) throws(SubjectFault)

    /// What the link has done since the last poll.
    func poll(link: Int) throws(SubjectFault) -> LinkPoll

    /// Forgets a link.
    func free(link: Int) throws(SubjectFault)

    /// Returns the features of a test that the implementation lacks.
    func lacking(_ features: [String]) throws(SubjectFault) -> [String]
}

extension VectorSubject {
    /// Plays a script against a link of the subject, or whatever the group begins, and forgets that afterwards.
    func withLink(
        _ group: VectorGroupType, params: JSONValue, _ play: (Int) throws(SubjectFault) -> CaseVerdict
    ) throws(SubjectFault) -> CaseVerdict {
        try withLink(group, params: params, otherwise: .skipped("unimplemented"), play)
    }

    /// The same for any result; `otherwise` is that where there is nothing to play on.
    func withLink<Verdict>(
        _ group: VectorGroupType, params: JSONValue, otherwise: Verdict, _ play: (Int) throws(SubjectFault) -> Verdict
    ) throws(SubjectFault) -> Verdict {
        guard let link = try makeLink(group, params: params) else { return otherwise }
        let verdict: Verdict
        do throws(SubjectFault) {
            verdict = try play(link)
        } catch {
            // A shim that hung or fell has no link any more.
            switch error {
            case .hang, .fault: break
            case .badQuestion, .inconsistent, .unimplemented: try free(link: link)
            }
            throw error
        }
        try free(link: link)
        return verdict
    }
}
