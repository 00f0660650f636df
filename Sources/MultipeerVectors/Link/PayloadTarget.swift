internal import MultipeerCore
internal import MultipeerWire

/// What has messages, streams and files: a link, or an association without one.
protocol PayloadTarget: AnyObject {
    func send(_ message: [UInt8]) throws(RequestError) -> MessageTag
    func takeBack(_ message: MessageTag) -> Bool
    func releaseCredit(_ credit: UInt64)

    func openStream(named name: String, credit: UInt64) throws(RequestError) -> StreamID
    func write(_ bytes: [UInt8], to stream: StreamID) throws(RequestError)
    func finish(_ stream: StreamID) throws(RequestError)
    func reset(_ stream: StreamID, code: UInt64) throws(RequestError)
    func stop(_ stream: StreamID, code: UInt64) throws(RequestError)
    func releaseCredit(_ count: Int, of stream: StreamID)
    func tookEnd(of stream: StreamID)

    func offer(_ offer: OutgoingOffer) throws(RequestError) -> FileID
    func submitBeginning(_ beginning: HeldBeginning, of file: FileID) throws(RequestError)
    func supply(_ chunk: [UInt8], to file: FileID) throws(RequestError)
    func cancel(_ file: FileID, _ reason: FileCancel.Reason) throws(RequestError)
    func accept(
        _ file: FileID, holding held: HeldBeginning?, credit: UInt64?, looks: Bool
    ) throws(RequestError)
    func consent(to file: FileID) throws(RequestError)
    func refuse(_ file: FileID, _ reason: FileCancel.Reason) throws(RequestError)
    func confirm(_ file: FileID) throws(RequestError)
    func releaseCredit(_ count: Int, of file: FileID)
    func tookEnd(of file: FileID)
}
