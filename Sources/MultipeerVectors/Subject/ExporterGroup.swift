internal import MultipeerCrypto
internal import MultipeerWire

/// Exports of a link (SPEC §9.8).
struct ExporterGroup {
    let crypto: SwiftCrypto

    func run(_ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        let (label, context) = (try inputs.bytes("label"), try inputs.bytes("context"))
        let length = try inputs.number("length")
        guard let hash = try? Digest(rawBytes: try inputs.bytes("handshakeHash")),
            let initiator = try? IdentityKey(rawBytes: try inputs.bytes("initiatorKey")),
            let responder = try? IdentityKey(rawBytes: try inputs.bytes("responderKey"))
        else { throw .badQuestion("inputs") }
        guard Exporter.accepts(label: label, context: context, length: length) else {
            return .rejected(layer: "any", code: "internal", expected: [:])
        }
        let key = try inputs.bytes("exporterKey")
        do {
            let hashing = crypto.provider.hashing
            let name = Array("multipeer/1 exporter".utf8) + [0]
            let bound = hash.rawBytes + initiator.rawBytes + responder.rawBytes
            let secret = try hashing.authenticate(
                name.span, bound.span, key: try crypto.provider.secrets.makeSecret(copying: key.span))
            let exporter = try Exporter(
                material: try crypto.provider.secrets.makeSecret(copying: key.span), handshakeHash: hash,
                initiator: initiator, responder: responder, hashing: hashing)
            return .accepted([
                "exporterSecret": .hex(secret.withBytes { [UInt8](copying: $0) }),
                "bytes": .hex(try exporter.export(label: label, context: context, length: length)),
            ])
        } catch { throw .fault("\(error)") }
    }
}
