@_spi(Observation) internal import MultipeerCore
internal import MultipeerCrypto

/// From the first link of an association to the proof on a later one (SPEC §13.9).
struct ResumeProofGroup {
    let crypto: SwiftCrypto

    func run(_ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        guard let hash = try? Digest(rawBytes: try inputs.bytes("handshakeHash")),
            let newHash = try? Digest(rawBytes: try inputs.bytes("newHandshakeHash")),
            let initiator = try? IdentityKey(rawBytes: try inputs.bytes("initiatorKey")),
            let responder = try? IdentityKey(rawBytes: try inputs.bytes("responderKey"))
        else { throw .badQuestion("inputs") }
        let role: LinkRole = try inputs.text("role") == "initiator" ? .initiator : .responder
        let (key, payload) = (try inputs.bytes("exporterKey"), try inputs.bytes("payload"))
        do {
            guard
                let access = try ResumeAccess(
                    exporterKey: try crypto.provider.secrets.makeSecret(copying: key.span), handshakeHash: hash,
                    initiator: initiator, responder: responder, hashing: crypto.provider.hashing)
            else { throw SubjectFault.fault("no exporter secret") }
            return .accepted([
                "association": .hex(access.association), "resumeSecret": .hex(access.resumeSecret),
                "proof": .hex(try access.proof(of: payload, by: role, handshakeHash: newHash)),
            ])
        } catch let fault as SubjectFault {
            throw fault
        } catch { throw .fault("\(error)") }
    }
}
