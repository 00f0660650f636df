import FuzzSupport
import MultipeerWire

/// Whatever decodes has the model's values and is written again as it was; whatever the model refuses is refused.
enum HelloRoundTrip {
    static func check(_ body: [UInt8]) throws {
        try checkInitiator(body)
        try checkResponder(body)
        try checkRefusal(body)
    }

    private static func checkInitiator(_ body: [UInt8]) throws {
        let (model, hello) = (try? ModelHello.Initiator(body), try? InitiatorHello(body: body.span))
        try requireEqual(hello == nil, model == nil, "an initiator's hello is malformed")
        guard let model, let hello else { return }
        try requireEqual(hello.versions, model.versions, "versions")
        try requireEqual(hello.suites, model.suites, "suites")
        try requireEqual(extensions(hello.extensions), model.extensions, "extensions")
        try requireEqual(hello.ephemeral, model.ephemeral, "ephemeral")
        try requireEqual(hello.body(), body, "an initiator's hello, written again")
        try VisitedFields.check(FieldVisitor.initiatorHello(body.span), count: body.count)
    }

    private static func checkResponder(_ body: [UInt8]) throws {
        let (model, hello) = (try? ModelHello.Responder(body), try? ResponderHello(body: body.span))
        try requireEqual(hello == nil, model == nil, "a responder's hello is malformed")
        guard let model, let hello else { return }
        try requireEqual([hello.version, hello.suite], [model.version, model.suite], "version and suite")
        try requireEqual(extensions(hello.extensions), model.extensions, "extensions")
        try requireEqual(hello.ephemeral, model.ephemeral, "ephemeral")
        try requireEqual(hello.confirmation, model.confirmation, "confirmation")
        try requireEqual(hello.body(), body, "a responder's hello, written again")
        try VisitedFields.check(FieldVisitor.responderHello(body.span), count: body.count)
    }

    private static func checkRefusal(_ body: [UInt8]) throws {
        let (model, refusal) = (try? ModelHello.Refusal(body), try? Refusal(body: body.span))
        try requireEqual(refusal == nil, model == nil, "a refusal is malformed")
        guard let model, let refusal else { return }
        try requireEqual(refusal.code.rawValue, model.code, "code")
        try requireEqual(refusal.versions, model.versions, "versions")
        try requireEqual(refusal.suites, model.suites, "suites")
        try requireEqual(refusal.body(), body, "a refusal, written again")
        try VisitedFields.check(FieldVisitor.refusal(body.span), count: body.count)
    }

    private static func extensions(_ extensions: [HelloExtension]) -> [ModelHello.Extension] {
        extensions.map { ModelHello.Extension(type: $0.type, data: $0.data) }
    }
}
