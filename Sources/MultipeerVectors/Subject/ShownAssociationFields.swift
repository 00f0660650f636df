internal import MultipeerWire

// The frames of SPEC §§13, 14 and 15.6, as vectors show them.

extension Credit: ShownFields {
    var shown: JSONValue { ["kind": .integer(Int(kind.rawValue)), "id": .wide(id), "limit": .wide(limit)] }
}

extension Ack: ShownFields {
    var shown: JSONValue { ["count": .wide(count)] }
}

extension Resume: ShownFields {
    var shown: JSONValue {
        [
            "association": .hex(association), "epoch": .wide(epoch), "received": .wide(received),
            "files": .positions(files), "fields": .fields(fields), "proof": .hex(proof),
        ]
    }
}

extension Resumed: ShownFields {
    var shown: JSONValue {
        [
            "received": .wide(received), "files": .positions(files), "fields": .fields(fields), "proof": .hex(proof),
        ]
    }
}

extension JSONValue {
    static func positions(_ files: [FilePosition]) -> JSONValue {
        .array(files.map { ["id": .wide($0.id), "offset": .wide($0.offset)] })
    }
}

extension Ping: ShownFields {
    var shown: JSONValue { ["data": .hex(data)] }
}

extension Pong: ShownFields {
    var shown: JSONValue { ["data": .hex(data)] }
}

extension StreamOpen: ShownFields {
    var shown: JSONValue {
        ["id": .wide(id), "credit": .wide(credit), "name": .hex(name), "fields": .fields(fields)]
    }
}

extension StreamEnd: ShownFields {
    var shown: JSONValue { ["id": .wide(id), "size": .wide(size), "fields": .fields(fields)] }
}

extension StreamReset: ShownFields {
    var shown: JSONValue { ["id": .wide(id), "code": .wide(code), "fields": .fields(fields)] }
}

extension StreamStop: ShownFields {
    var shown: JSONValue { ["id": .wide(id), "code": .wide(code), "fields": .fields(fields)] }
}

extension JSONValue {
    static func chain(_ chain: [Admission]) -> JSONValue {
        .array(chain.map { ["admitter": .hex($0.admitter), "signature": .hex($0.signature)] })
    }
}

extension Admit: ShownFields {
    var shown: JSONValue { ["chain": .chain(chain), "fields": .fields(fields)] }
}

extension Unite: ShownFields {
    var shown: JSONValue {
        [
            "founder": .hex(charter.founder), "nonce": .hex(charter.nonce), "parameters": .fields(charter.parameters),
            "chain": .chain(chain), "admission": .hex(admission), "fields": .fields(fields),
        ]
    }
}

extension Enter: ShownFields {
    var shown: JSONValue { ["session": .hex(session), "fields": .fields(fields)] }
}

extension RosterFrame: ShownFields {
    var shown: JSONValue { ["entries": .array(entries.map { .hex($0.encoded) })] }
}

extension DigestFrame: ShownFields {
    var shown: JSONValue { ["digest": .hex(digest), "fields": .fields(fields)] }
}

extension Summary: ShownFields {
    var shown: JSONValue {
        let shown: [JSONValue] = items.map { item in
            [
                "member": .hex(item.member), "instance": .wide(item.instance), "sequence": .wide(item.sequence),
                "entryHash": .hex(item.entryHash),
            ]
        }
        return ["items": .array(shown), "fields": .fields(fields)]
    }
}

extension Want: ShownFields {
    var shown: JSONValue { ["members": .array(members.map(JSONValue.hex)), "fields": .fields(fields)] }
}

extension Datagrams: ShownFields {
    var shown: JSONValue { ["port": .integer(Int(port)), "fields": .fields(fields)] }
}
