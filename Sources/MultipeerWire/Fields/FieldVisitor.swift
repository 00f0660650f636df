/// Names every field of records' bodies and of frames, in their order. Whatever shows bytes to people is built on this.
public struct FieldVisitor {
    let bytes: [UInt8]
    var offset = 0
    var depth = 0
    var fields: [VisitedField] = []

    private init(_ bytes: Span<UInt8>) { self.bytes = [UInt8](copying: bytes) }

    /// The fields of a frame's payload.
    /// - Throws: ``WireError`` unless the payload decodes.
    public static func fields(of type: FrameType, payload: Span<UInt8>) throws(WireError) -> [VisitedField] {
        try type.validate(payload)
        var visitor = FieldVisitor(payload)
        visitor.visit(type)
        return visitor.fields
    }

    /// The fields of an initiator's HELLO.
    /// - Throws: ``WireError`` unless the body decodes.
    public static func initiatorHello(_ body: Span<UInt8>) throws(WireError) -> [VisitedField] {
        _ = try InitiatorHello(body: body)
        var visitor = FieldVisitor(body)
        visitor.list("versions", .version)
        visitor.list("suites", .suite)
        visitor.list("extensions", .helloExtension)
        visitor.take(InitiatorHello.noiseLength, "ephemeral")
        return visitor.fields
    }

    /// The fields of a responder's HELLO.
    /// - Throws: ``WireError`` unless the body decodes.
    public static func responderHello(_ body: Span<UInt8>) throws(WireError) -> [VisitedField] {
        _ = try ResponderHello(body: body)
        var visitor = FieldVisitor(body)
        visitor.element(.version)
        visitor.element(.suite)
        visitor.list("extensions", .helloExtension)
        visitor.take(32, "ephemeral")
        visitor.take(16, "confirmation")
        return visitor.fields
    }

    /// The fields of a REFUSAL.
    /// - Throws: ``WireError`` unless the body decodes.
    public static func refusal(_ body: Span<UInt8>) throws(WireError) -> [VisitedField] {
        let refusal = try Refusal(body: body)
        var visitor = FieldVisitor(body)
        visitor.fixed(1, "code", refusal.code.registeredName)
        visitor.list("versions", .version)
        visitor.list("suites", .suite)
        return visitor.fields
    }

    // MARK: Frames

    private mutating func visit(_ type: FrameType) {
        switch type {
        case .padding: rest("padding")
        case .close:
            varint("code", .code) { CloseCode(rawValue: $0).registeredName }
            list("fields", .field)
        case .proof:
            take(32, "identityKey")
            take(64, "signature")
        case .peerInfo:
            vector("displayName", .content)
            varint("maximumMessage")
            list("features", .feature)
            list("fields", .field)
        case .invite, .accept, .decline, .cancel: visit(invitation: type)
        case .certificates:
            list("chain", .certificate)
            fixed(2, "algorithm", nil)
            vector("signature", .bytes)
            list("fields", .field)
        case .ready, .rekey: list("fields", .field)
        case .datagrams:
            fixed(2, "port", nil)
            list("fields", .field)
        case .message:
            varint("total")
            rest("data")
        case .messagePart: rest("data")
        case .fileOffer, .fileAccept, .fileCancel, .fileData, .fileEnd, .fileDone: visit(file: type)
        case .ping, .pong, .credit, .ack: visit(association: type)
        case .resume, .resumed: visit(resuming: type)
        case .streamOpen, .streamData, .streamEnd, .streamReset, .streamStop: visit(stream: type)
        case .admit, .roster, .digest, .summary, .want, .unite, .enter: visit(session: type)
        case .stringAsk, .stringCommit, .stringNonce, .stringReveal, .codeBegin, .codeAnswer, .codeConfirm:
            visit(verification: type)
        }
    }

    private mutating func visit(invitation type: FrameType) {
        if type == .invite { visitSession() }
        switch type {
        case .decline:
            fixed(1, "reason", Decline.reasonName(byte))
            if bytes.first == 3 {
                varint("detail", .length)
                preference()
            } else {
                vector("detail", .bytes)
            }
        case .cancel: fixed(1, "reason", byte == 2 ? "timeout" : "cancelled")
        default:
            preference()
            fixed(1, "identityKind", IdentityKind(rawValue: byte)?.name)
            if type == .accept { fixed(1, "outcome", EncryptionOutcome(rawValue: byte)?.name) }
            if type == .invite {
                varint("timeout")
                vector("context", .content)
            }
        }
        list("fields", .field)
    }

    private mutating func visitSession() {
        visitCharter()
        fixed(1, "sessionKind", SessionKind(rawValue: byte)?.name)
    }

    mutating func visitCharter() {
        take(Charter.partLength, "founder")
        take(Charter.partLength, "nonce")
        list("parameters", .field)
    }

    private mutating func visit(file type: FrameType) {
        varint("id")
        switch type {
        case .fileOffer:
            varint("size")
            take(FileOffer.tagLength, "tag")
            fixed(1, "type", FileKind(rawValue: byte)?.name)
            varint("modified")
            varint("manifest")
            vector("name", .content)
        case .fileAccept:
            varint("offset")
            take(32, "sha256")
            varint("credit")
        case .fileCancel: fixed(1, "reason", FileCancel.Reason(rawValue: byte)?.name ?? "cancelled")
        case .fileData:
            varint("offset")
            return rest("data")
        case .fileEnd: take(32, "sha256")
        default: break
        }
        list("fields", .field)
    }

    private mutating func preference() {
        fixed(1, "preference", EncryptionPreference(rawValue: byte)?.name)
    }

    // MARK: Lists

    enum Element {
        case version, suite, helloExtension, feature, certificate, field, admission, address, item, position, key
    }

    mutating func list(_ name: String, _ kind: Element) {
        let length = varint(name, .listLength)
        let end = min(bytes.count, offset + Int(length))
        depth += 1
        while offset < end { element(kind) }
        depth -= 1
    }

    mutating func element(_ kind: Element) {
        switch kind {
        case .version:
            let value = u16
            fixed(2, "version", Grease.contains(value) ? "GREASE" : ProtocolVersion(rawValue: value)?.name)
        case .suite: fixed(2, "suite", Grease.contains(u16) ? "GREASE" : Suite(rawValue: u16)?.name)
        case .helloExtension:
            fixed(2, "extension", Grease.contains(u16) ? "GREASE" : nil)
            vector("data", .bytes)
        case .feature: fixed(2, "feature", Grease.contains(u16) ? "GREASE" : Feature(rawValue: u16)?.name)
        case .certificate: vector("certificate", .content)
        case .field:
            varint("field", .code) { $0 % 32 == 31 ? "GREASE" : nil }
            vector("value", .content)
        case .admission, .address, .item, .position, .key: sessionElement(kind)
        }
    }

    // MARK: Steps. Everything has been decoded before, so that nothing is missing; reading stops at the end even so.

    var byte: UInt8 { offset < bytes.count ? bytes[offset] : 0 }
    var u16: UInt16 { offset + 1 < bytes.count ? UInt16(bytes[offset]) << 8 | UInt16(bytes[offset + 1]) : 0 }

    mutating func add(
        _ name: String, _ kind: VisitedField.Kind, _ value: UInt64, _ meaning: String?, _ range: Range<Int>
    ) {
        fields.append(
            VisitedField(name: name, kind: kind, value: value, meaning: meaning, range: range, depth: depth))
    }

    mutating func step(_ count: Int) -> Range<Int> {
        let start = offset
        offset += min(max(count, 0), bytes.count - offset)
        return start..<offset
    }

    mutating func fixed(_ count: Int, _ name: String, _ meaning: String?) {
        let value = count == 1 ? UInt64(byte) : UInt64(u16)
        add(name, .code, value, meaning, step(count))
    }

    @discardableResult
    mutating func varint(
        _ name: String, _ kind: VisitedField.Kind = .number, meaning: (UInt64) -> String? = { _ in nil }
    ) -> UInt64 {
        let range = step(1 << Int(byte >> 6))
        var value: UInt64 = 0
        for index in range {
            value = value << 8 | UInt64(index == range.lowerBound ? bytes[index] & 0x3F : bytes[index])
        }
        add(name, kind, value, meaning(value), range)
        return value
    }

    mutating func take(_ count: Int, _ name: String, _ kind: VisitedField.Kind = .bytes) {
        add(name, kind, 0, nil, step(count))
    }

    mutating func vector(_ name: String, _ kind: VisitedField.Kind) {
        take(Int(varint(name, .length)), name, kind)
    }

    mutating func rest(_ name: String) { take(bytes.count - offset, name, .content) }
}
