internal import MultipeerCore
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// One implementation's link, and what it has shown.
struct LinkSide {
    /// Which implementation could not continue, and why.
    struct Fault: Error {
        let isOwn: Bool
        let fault: SubjectFault
    }

    private let subject: any VectorSubject
    private let isOwn: Bool
    private var reader: SendsReader
    private var link: Int?
    /// From where what is sent cannot be opened: the handshake was another than the vector's, and so were its keys.
    private var isBlind = false
    private(set) var ends: [JSONValue] = []

    init(subject: any VectorSubject, isOwn: Bool, reader: SendsReader) {
        self.subject = subject
        self.isOwn = isOwn
        self.reader = reader
    }

    private func asked<Value>(_ ask: () throws(SubjectFault) -> Value) throws(Fault) -> Value {
        do throws(SubjectFault) { return try ask() } catch { throw Fault(isOwn: isOwn, fault: error) }
    }

    mutating func begin(_ params: JSONValue) throws(Fault) -> Bool {
        link = try asked { () throws(SubjectFault) in try subject.makeLink(.linkScript, params: params) }
        return link != nil
    }

    func take(_ step: JSONValue) throws(Fault) {
        guard let link else { return }
        try asked { () throws(SubjectFault) in try subject.step(link: link, step) }
    }

    /// A link that fell has nothing to forget.
    func free() { if let link { try? subject.free(link: link) } }

    /// What the link has done since the last look, as it is compared.
    mutating func look() throws(Fault) -> JSONValue {
        guard let link else { return [:] }
        let poll = try asked { () throws(SubjectFault) in try subject.poll(link: link) }
        ends += poll.events.filter { $0["event"] == "closed" }
        let events = poll.events.filter { $0["event"] != "closed" }.map(Self.comparable)
        return [
            "sends": sends(poll.sends), "events": .array(events),
            "deadline": poll.deadline.map(JSONValue.integer) ?? .null,
        ]
    }

    /// A sender may want any number of bytes at once.
    private static func comparable(_ event: JSONValue) -> JSONValue {
        guard case .object(var members) = event else { return event }
        members["maximum"] = nil
        return .object(members)
    }

    private mutating func sends(_ bytes: [UInt8]) -> JSONValue {
        guard !isBlind else { return bytes.isEmpty ? "nothing" : "unreadable" }
        do throws(SubjectFault) {
            return .array(try reader.read(bytes).map(Self.masked))
        } catch {
            isBlind = true
            return AnswerText.shown(error)
        }
    }

    /// CERTIFICATES without a signature that is another every time.
    private static func masked(_ sent: JSONValue) -> JSONValue {
        guard case .object(var members) = sent, sent["frame"] == "CERTIFICATES",
            case let payload = sent["payload"]?.decodedBytes ?? [],
            let frame = try? Certificates(payload: payload.span), !frame.signature.isEmpty,
            frame.algorithm != 0x0807
        else { return sent }
        // The signature, and the empty field list after it.
        let kept = payload.count - WireBytes.vector(frame.signature).count - 1
        members["payload"] = .hex(Array(payload.prefix(kept)))
        members["signed"] = true
        return .object(members)
    }
}
