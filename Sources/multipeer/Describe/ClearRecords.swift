import MultipeerWire

// Descriptions of records in the clear, with GREASE marked (SPEC §7).

extension InitiatorHello {
    var described: [DescribedField] {
        [
            DescribedField("versions", .list(versions.map(Negotiated.version))),
            DescribedField("suites", .list(suites.map(Negotiated.suite))),
            DescribedField("extensions", .list(extensions.map(Negotiated.entry))),
            DescribedField("ephemeral", .bytes(ephemeral)),
        ]
    }
}

extension ResponderHello {
    var described: [DescribedField] {
        [
            DescribedField("version", Negotiated.version(version)), DescribedField("suite", Negotiated.suite(suite)),
            DescribedField("extensions", .list(extensions.map(Negotiated.entry))),
            DescribedField("ephemeral", .bytes(ephemeral)), DescribedField("confirmation", .bytes(confirmation)),
        ]
    }
}

extension Refusal {
    var described: [DescribedField] {
        [
            DescribedField("code", .code(UInt64(code.rawValue), digits: 2, name: code.name)),
            DescribedField("versions", .list(versions.map(Negotiated.version))),
            DescribedField("suites", .list(suites.map(Negotiated.suite))),
        ]
    }
}

/// Values of the registries of SPEC §7.2.
private enum Negotiated {
    static func version(_ value: UInt16) -> FieldValue {
        code(value, ProtocolVersion(rawValue: value).map { _ in "version \(value)" })
    }

    static func suite(_ value: UInt16) -> FieldValue { code(value, Suite(rawValue: value)?.name) }

    static func entry(_ entry: HelloExtension) -> FieldValue {
        entry.data.isEmpty ? code(entry.type, nil) : .list([code(entry.type, nil), .bytes(entry.data)])
    }

    private static func code(_ value: UInt16, _ name: String?) -> FieldValue {
        .code(UInt64(value), digits: 4, name: Grease.contains(value) ? "GREASE" : name ?? "unknown")
    }
}

/// The first record of a direction. Only its body shows whether the initiator or the responder sent it.
enum ClearDescription {
    /// The sender of the record.
    enum Sender: String, Sendable {
        case initiator, responder
    }

    /// - Throws: `WireError` if the body decodes neither as an initiator's nor as a responder's record.
    static func describe(
        _ kind: RecordKind, body: Span<UInt8>, from sender: Sender?
    ) throws(WireError) -> (sender: Sender, fields: [DescribedField]) {
        if kind == .refusal { return (.responder, try Refusal(body: body).described) }
        switch sender {
        case .initiator: return (.initiator, try InitiatorHello(body: body).described)
        case .responder: return (.responder, try ResponderHello(body: body).described)
        case nil: return try guess(body)
        }
    }

    private static func guess(_ body: Span<UInt8>) throws(WireError) -> (sender: Sender, fields: [DescribedField]) {
        do throws(WireError) {
            return (.initiator, try InitiatorHello(body: body).described)
        } catch {
            let initiatorError = error
            do throws(WireError) {
                return (.responder, try ResponderHello(body: body).described)
            } catch {
                // A responder's hello of version 1 begins with a zero byte. A list of versions never does.
                throw body.count > 0 && body[0] == 0 ? error : initiatorError
            }
        }
    }
}
