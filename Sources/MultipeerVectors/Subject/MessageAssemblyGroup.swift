@_spi(Observation) internal import MultipeerCore
internal import MultipeerWire

/// Assembles messages from frames (SPEC §15.1).
enum MessageAssemblyGroup {
    static func run(_ params: Arguments, _ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        var access = MessageAccess(maximum: UInt64(try params.number("maximumMessage")))
        var messages: [JSONValue] = []
        for frame in try inputs.objects("frames") {
            let type = FrameType(rawValue: try frame.wide("type"))
            guard type == .message || type == .messagePart else { throw .badQuestion("inputs.frames.type") }
            do throws(LinkFailureCause) {
                let payload: [UInt8]
                do { payload = try frame.bytes("payload") } catch { return .unimplemented }
                if let message = try access.receive(payload, isFirst: type == .message) {
                    messages.append(.hex(message))
                }
            } catch {
                let outcome = ReportedOutcome(LinkFailure(stage: .open, cause: error))
                return .rejected(layer: outcome.layer, code: outcome.code, expected: shown(messages, access))
            }
        }
        return .accepted(shown(messages, access))
    }

    private static func shown(_ messages: [JSONValue], _ access: MessageAccess) -> JSONValue {
        ["messages": .array(messages), "partial": .bool(access.isPartial)]
    }
}
