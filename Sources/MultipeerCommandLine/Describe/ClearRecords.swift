package import MultipeerWire

/// The first record of a direction, which only its body shows to be the initiator's or the responder's.
package enum ClearDescription {
    /// The sender of the record.
    package enum Sender: String, Sendable {
        case initiator, responder
    }

    /// - Throws: `WireError` if the body decodes neither as an initiator's nor as a responder's record.
    package static func describe(
        _ kind: RecordKind, body: Span<UInt8>, from sender: Sender?
    ) throws(WireError) -> (sender: Sender, fields: [DescribedField]) {
        if kind == .refusal { return (.responder, describe(try FieldVisitor.refusal(body), body)) }
        switch sender {
        case .initiator: return (.initiator, describe(try FieldVisitor.initiatorHello(body), body))
        case .responder: return (.responder, describe(try FieldVisitor.responderHello(body), body))
        case nil: return try guess(body)
        }
    }

    private static func guess(_ body: Span<UInt8>) throws(WireError) -> (sender: Sender, fields: [DescribedField]) {
        do throws(WireError) {
            return (.initiator, describe(try FieldVisitor.initiatorHello(body), body))
        } catch {
            let initiatorError = error
            do throws(WireError) {
                return (.responder, describe(try FieldVisitor.responderHello(body), body))
            } catch {
                // A responder's hello begins with its version, whose first byte is 0 or, in a draft, 0xff. A list of versions
                // never begins so.
                throw body.count > 0 && (body[0] == 0 || body[0] == 0xFF) ? error : initiatorError
            }
        }
    }

    private static func describe(_ fields: [VisitedField], _ body: Span<UInt8>) -> [DescribedField] {
        [DescribedField](fields, of: [UInt8](copying: body))
    }
}
