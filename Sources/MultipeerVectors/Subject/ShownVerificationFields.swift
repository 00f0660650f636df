internal import MultipeerWire

// The frames of SPEC §25.6, as vectors show them.

extension StringAsk: ShownFields {
    var shown: JSONValue { ["fields": .fields(fields)] }
}

extension StringCommit: ShownFields {
    var shown: JSONValue { ["commitment": .hex(commitment), "fields": .fields(fields)] }
}

extension StringNonce: ShownFields {
    var shown: JSONValue { ["nonce": .hex(nonce), "fields": .fields(fields)] }
}

extension StringReveal: ShownFields {
    var shown: JSONValue { ["nonce": .hex(nonce), "fields": .fields(fields)] }
}

extension CodeBegin: ShownFields {
    var shown: JSONValue { ["share": .hex(share), "number": .integer(Int(number)), "fields": .fields(fields)] }
}

extension CodeAnswer: ShownFields {
    var shown: JSONValue { ["share": .hex(share), "fields": .fields(fields)] }
}

extension CodeConfirm: ShownFields {
    var shown: JSONValue { ["confirmation": .hex(confirmation), "fields": .fields(fields)] }
}
