import FuzzSupport
import MultipeerWire

/// One frame each of the invitation and before, from choices, and whether SPEC.md allows it.
enum BuiltFrames {
    static func close(_ choices: inout Choices) throws {
        let (code, fields) = (CloseCode(rawValue: Values.varint(&choices)), Values.fields(&choices))
        try WrittenFrame.check(Close(code: code, fields: fields.list), isLegal: fields.areLegal)
    }

    static func proof(_ choices: inout Choices) throws {
        let (key, signature) = (Values.exactly(32, &choices), Values.around(64, &choices))
        try WrittenFrame.check(
            Proof(identityKey: key, signature: signature), isLegal: signature.count == 64)
    }

    static func peerInfo(_ choices: inout Choices) throws {
        let (name, maximum) = (Values.text(&choices, limit: 63), Values.varint(&choices))
        // SPEC §8.1: any even count of bytes up to 256, ascending.
        let features = (0..<[0, 1, 2, 3, 128, 129][choices.int(below: 6)]).map { index in
            index > 3 ? UInt16(index) * 256 : choices.uint16()
        }
        let ascend = zip(features, features.dropFirst()).allSatisfy { $0 < $1 }
        let fields = Values.fields(&choices)
        try WrittenFrame.check(
            PeerInfo(displayName: name, maximumMessage: maximum, features: features, fields: fields.list),
            isLegal: (0...63).contains(name.count) && Values.isNameText(name)
                && (1...4_294_967_295).contains(maximum) && ascend && features.count <= 128 && fields.areLegal)
    }

    static func invite(_ choices: inout Choices) throws {
        let (founder, nonce) = (Values.exactly(32, &choices), Values.exactly(32, &choices))
        let parameters = Values.parameters(&choices)
        let charter = Charter(founder: founder, nonce: nonce, parameters: parameters.list)
        let sessionKind = choices.pick(SessionKind.allCases)
        let preference = choices.pick(EncryptionPreference.allCases)
        let kind = choices.pick(IdentityKind.allCases)
        let (timeout, context) = (Values.varint(&choices), Values.bytes(limit: 16_384, &choices))
        // The chain is field 2, and is between these two parts whatever their order was.
        let list = Values.fields(&choices, limit: 8_192).list
        let fields = list.filter { $0.type < 2 } + list.filter { $0.type > 2 }
        // R8.2-7: the chain is there unless the session is a new one.
        let hasChain = (sessionKind != .new) != (choices.int(below: 8) == 7)
        let chain = hasChain ? Values.chain(&choices) : nil
        let length = (chain?.count ?? 0) * 96
        let rest = 8_192 - (hasChain ? 1 + Values.length(UInt64(length)) + length : 0)
        try WrittenFrame.check(
            Invite(
                charter: charter, sessionKind: sessionKind, preference: preference, identityKind: kind,
                timeout: timeout, context: context, chain: chain, fields: fields),
            isLegal: (1...600_000).contains(timeout) && context.count <= 16_384 && parameters.areLegal
                && hasChain == (sessionKind != .new) && length <= 768 && Values.areLegal(fields, limit: rest))
    }

    static func accept(_ choices: inout Choices) throws {
        let preference = choices.pick(EncryptionPreference.allCases)
        let kind = choices.pick(IdentityKind.allCases)
        let outcome = choices.pick(EncryptionOutcome.allCases)
        let fields = Values.fields(&choices, limit: 8_192)
        try WrittenFrame.check(
            Accept(preference: preference, identityKind: kind, outcome: outcome, fields: fields.list),
            isLegal: fields.areLegal)
    }

    static func decline(_ choices: inout Choices) throws {
        let preference = choices.pick(EncryptionPreference.allCases)
        let reason = choices.pick([
            Decline.Reason.declined, .busy, .encryptionPolicy(preference), .timeout, .noSession, .full,
        ])
        let fields = Values.fields(&choices)
        try WrittenFrame.check(Decline(reason, fields: fields.list), isLegal: fields.areLegal)
    }

    static func cancel(_ choices: inout Choices) throws {
        let (reason, fields) = (choices.pick([Cancel.Reason.cancelled, .timeout]), Values.fields(&choices))
        try WrittenFrame.check(Cancel(reason, fields: fields.list), isLegal: fields.areLegal)
    }

    static func ready(_ choices: inout Choices) throws {
        let fields = Values.fields(&choices)
        try WrittenFrame.check(Ready(fields: fields.list), isLegal: fields.areLegal)
    }

    static func rekey(_ choices: inout Choices) throws {
        let fields = Values.fields(&choices)
        try WrittenFrame.check(Rekey(fields: fields.list), isLegal: fields.areLegal)
    }

    static func certificates(_ choices: inout Choices) throws {
        let chain = (0..<choices.int(below: 10)).map { _ in Values.bytes(limit: 16_384, &choices) }
        let (algorithm, signature) = (choices.uint16(), Values.bytes(limit: 4_096, &choices))
        let fields = Values.fields(&choices, limit: 4_096)
        let total = chain.reduce(0) { $0 + $1.count }
        try WrittenFrame.check(
            Certificates(chain: chain, algorithm: algorithm, signature: signature, fields: fields.list),
            isLegal: chain.count <= 8 && chain.allSatisfy { (1...16_384).contains($0.count) } && total <= 49_152
                && signature.count <= 4_096 && fields.areLegal)
    }
}

/// A frame that was built, written and read.
enum WrittenFrame {
    static func check<Frame: ControlFrame & Equatable>(_ frame: Frame, isLegal: Bool) throws {
        let bytes = frame.encoded()
        var cursor = FrameCursor(bytes.span)
        do {
            guard let raw = try cursor.next() else { throw OracleFailure("\(Frame.self): written, and not there") }
            try requireEqual(raw.type, Frame.type, "type")
            let read = try Frame(payload: raw.payload)
            try require(isLegal, "\(Frame.self) is read, and breaks a limit of SPEC.md: \(frame)")
            try requireEqual(read, frame, "\(Frame.self), written and read")
            try requireEqual(try cursor.next() == nil, true, "\(Frame.self) is the last frame")
        } catch let error as WireError {
            try require(!isLegal, "\(Frame.self) is legal, and refused with \(error): \(frame)")
        }
    }
}
