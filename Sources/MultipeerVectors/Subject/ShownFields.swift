internal import MultipeerWire

extension JSONValue {
    static func fields(_ fields: [Field]) -> JSONValue {
        .array(fields.map { ["type": .wide($0.type), "value": .hex($0.value)] })
    }
}

extension Close: ShownFields {
    var shown: JSONValue { ["code": .wide(code.rawValue), "fields": .fields(fields)] }
}

extension Proof: ShownFields {
    var shown: JSONValue { ["identityKey": .hex(identityKey), "signature": .hex(signature)] }
}

extension PeerInfo: ShownFields {
    var shown: JSONValue {
        [
            "displayName": .hex(displayName), "maximumMessage": .integer(Int(maximumMessage)),
            "features": .array(features.map { .integer(Int($0)) }), "fields": .fields(fields),
        ]
    }
}

extension Invite: ShownFields {
    var shown: JSONValue {
        [
            "founder": .hex(charter.founder), "nonce": .hex(charter.nonce),
            "parameters": .fields(charter.parameters), "sessionKind": .integer(Int(sessionKind.rawValue)),
            "preference": .integer(Int(preference.rawValue)), "identityKind": .integer(Int(identityKind.rawValue)),
            "timeout": .integer(Int(timeout)),
            "context": .hex(context), "fields": .fields(allFields),
        ]
    }
}

extension Accept: ShownFields {
    var shown: JSONValue {
        [
            "preference": .integer(Int(preference.rawValue)),
            "identityKind": .integer(Int(identityKind.rawValue)), "outcome": .integer(Int(outcome.rawValue)),
            "fields": .fields(fields),
        ]
    }
}

extension Decline: ShownFields {
    var shown: JSONValue {
        switch reason {
        case .declined: ["reason": 1, "detail": "", "fields": .fields(fields)]
        case .busy: ["reason": 2, "detail": "", "fields": .fields(fields)]
        case .encryptionPolicy(let preference):
            ["reason": 3, "detail": .hex([preference.rawValue]), "fields": .fields(fields)]
        case .timeout: ["reason": 4, "detail": "", "fields": .fields(fields)]
        case .noSession: ["reason": 6, "detail": "", "fields": .fields(fields)]
        case .full: ["reason": 7, "detail": "", "fields": .fields(fields)]
        }
    }

    func isNormalized(_ payload: [UInt8]) -> Bool {
        payload.first.map { !(1...7).contains($0) || $0 == 5 } ?? false
    }
}

extension Cancel: ShownFields {
    var shown: JSONValue { ["reason": reason == .timeout ? 2 : 1, "fields": .fields(fields)] }

    func isNormalized(_ payload: [UInt8]) -> Bool { payload.first.map { !(1...2).contains($0) } ?? false }
}

extension Certificates: ShownFields {
    var shown: JSONValue {
        [
            "chain": .array(chain.map(JSONValue.hex)), "algorithm": .integer(Int(algorithm)),
            "signature": .hex(signature), "fields": .fields(fields),
        ]
    }
}

extension Ready: ShownFields {
    var shown: JSONValue { ["fields": .fields(fields)] }
}

extension FileOffer: ShownFields {
    var shown: JSONValue {
        [
            "id": .wide(id), "size": .wide(size), "tag": .hex(tag), "type": .integer(Int(kind.rawValue)),
            "modified": .wide(modified), "manifest": .wide(manifest), "name": .hex(name), "fields": .fields(fields),
        ]
    }
}

extension Rekey: ShownFields {
    var shown: JSONValue { ["fields": .fields(fields)] }
}

extension FileAccept: ShownFields {
    var shown: JSONValue {
        [
            "id": .wide(id), "offset": .wide(offset), "sha256": .hex(digest), "credit": .wide(credit),
            "fields": .fields(fields),
        ]
    }
}

extension FileCancel: ShownFields {
    var shown: JSONValue {
        ["id": .wide(id), "reason": .integer(Int(reason.rawValue)), "fields": .fields(fields)]
    }

    func isNormalized(_ payload: [UInt8]) -> Bool {
        let place = VarInt.length(of: id)
        return place < payload.count && !(1...13).contains(payload[place])
    }
}

extension FileEnd: ShownFields {
    var shown: JSONValue { ["id": .wide(id), "sha256": .hex(digest), "fields": .fields(fields)] }
}

extension FileDone: ShownFields {
    var shown: JSONValue { ["id": .wide(id), "fields": .fields(fields)] }
}
