internal import MultipeerWire

extension JSONValue {
    static func fields(_ fields: [Field]) -> JSONValue {
        .array(fields.map { ["type": .wide($0.type), "value": .hex($0.value)] })
    }
}

extension Close: ShownFields {
    var shown: JSONValue { ["code": .wide(code.rawValue)] }
}

extension Proof: ShownFields {
    var shown: JSONValue { ["identityKey": .hex(identityKey), "signature": .hex(signature)] }
}

extension PeerInfo: ShownFields {
    var shown: JSONValue {
        [
            "displayName": .hex(displayName), "maximumMessage": .integer(Int(maximumMessage)),
            "fields": .fields(fields),
        ]
    }
}

extension Invite: ShownFields {
    var shown: JSONValue {
        [
            "session": .hex(session), "preference": .integer(Int(preference.rawValue)),
            "identityKind": .integer(Int(identityKind.rawValue)), "timeout": .integer(Int(timeout)),
            "context": .hex(context), "fields": .fields(fields),
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
        switch self {
        case .declined: ["reason": 1, "detail": ""]
        case .busy: ["reason": 2, "detail": ""]
        case .encryptionPolicy(let preference): ["reason": 3, "detail": .hex([preference.rawValue])]
        case .timeout: ["reason": 4, "detail": ""]
        case .superseded: ["reason": 5, "detail": ""]
        }
    }

    func isNormalized(_ payload: [UInt8]) -> Bool { payload.first.map { !(1...5).contains($0) } ?? false }
}

extension Cancel: ShownFields {
    var shown: JSONValue { ["reason": self == .timeout ? 2 : 1] }

    func isNormalized(_ payload: [UInt8]) -> Bool { payload.first.map { !(1...2).contains($0) } ?? false }
}

extension Certificates: ShownFields {
    var shown: JSONValue {
        [
            "chain": .array(chain.map(JSONValue.hex)), "algorithm": .integer(Int(algorithm)),
            "signature": .hex(signature),
        ]
    }
}

extension Ready: ShownFields {
    var shown: JSONValue { [:] }
}

extension FileOffer: ShownFields {
    var shown: JSONValue {
        ["id": .wide(id), "size": .integer(Int(size)), "name": .hex(name), "fields": .fields(fields)]
    }
}

extension FileAccept: ShownFields {
    var shown: JSONValue { ["id": .wide(id)] }
}

extension FileCancel: ShownFields {
    var shown: JSONValue {
        ["id": .wide(id), "reason": .integer(Int((isSendersFile ? 0x80 : 0) | reason.rawValue))]
    }

    func isNormalized(_ payload: [UInt8]) -> Bool { payload.last.map { !(1...6).contains($0 & 0x7F) } ?? false }
}

extension FileEnd: ShownFields {
    var shown: JSONValue { ["id": .wide(id), "sha256": .hex(digest)] }
}

extension FileDone: ShownFields {
    var shown: JSONValue { ["id": .wide(id)] }
}
