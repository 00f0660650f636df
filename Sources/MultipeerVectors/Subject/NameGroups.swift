@_spi(Observation) internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerWire

/// Names, and the tables that have no state: SPEC §4.2, §7.3, §8.6, §11, §15.5.
enum NameGroups {
    static func fileName(_ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        let name = try inputs.bytes("name")
        let offer: FileOffer
        do { offer = try FileOffer(payload: FileOffer(id: 0, size: 0, name: name).payload.span) } catch {
            return .rejected(error)
        }
        let local = SanitizedFileName.derive(from: offer.name)
        return .accepted([
            "localName": .hex(Array(local.utf8)),
            "portableName": .hex(Array(SanitizedFileName.portable(local).utf8)),
            "visibleName": .hex(Array(SanitizedFileName.visible(local).utf8)),
        ])
    }

    static func sessionIdentifier(
        _ inputs: Arguments, _ crypto: SwiftCrypto
    ) throws(SubjectFault) -> SubjectAnswer {
        let bytes = try inputs.bytes("charter")
        let charter: Charter
        do { charter = try Charter(encoded: bytes.span) } catch { return .rejected(error) }
        try WireGroups.requireSame(charter.encoded, bytes)
        return .accepted([
            "identifier": .hex(SessionID(charter, hashing: crypto.provider.hashing).rawBytes)
        ])
    }

    static func displayName(_ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        let name = try inputs.bytes("name")
        // PEER_INFO may have no name; what is a name has a byte at least (R4.2-1).
        guard !name.isEmpty else { return .rejected(WireError(.lengthOutOfRange, in: .displayName)) }
        do { _ = try PeerInfo(payload: PeerInfo(displayName: name, maximumMessage: 1).payload.span) } catch {
            return .rejected(error)
        }
        return .accepted([:])
    }

    static func responderChoice(
        _ params: Arguments, _ inputs: Arguments, _ crypto: SwiftCrypto
    ) throws(SubjectFault) -> SubjectAnswer {
        let body = try inputs.bytes("body")
        guard let (versions, suites) = try supported(params, "versions", "suites") else { return .unimplemented }
        let hello: InitiatorHello
        do { hello = try InitiatorHello(body: body.span) } catch { return .rejected(error) }
        if params.json["busy"]?.truth == true { return .refused(Refusal(code: .busy)) }
        do throws(RefusedHello) {
            let choice = try VectorAccess.choose(
                from: hello, versions: versions, suites: suites, crypto: crypto.provider)
            return .accepted(["version": .integer(Int(choice.version)), "suite": .integer(Int(choice.suite))])
        } catch {
            switch error {
            case .refused(let refusal): return .refused(refusal)
            case .malformed(let error): return .rejected(error)
            case .crypto(let failure): throw .inconsistent("\(failure)")
            }
        }
    }

    static func initiatorCheck(_ params: Arguments, _ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        let body = try inputs.bytes("body")
        guard let (versions, suites) = try supported(params, "supportedVersions", "supportedSuites") else {
            return .unimplemented
        }
        let offered = InitiatorHello(
            versions: try params.numbers("versions").map { UInt16(truncatingIfNeeded: $0) },
            suites: try params.numbers("suites").map { UInt16(truncatingIfNeeded: $0) },
            extensions: try params.numbers("extensions").map {
                HelloExtension(type: UInt16(truncatingIfNeeded: $0), data: [])
            }, ephemeral: [UInt8](repeating: 0, count: 32))
        let hello: ResponderHello
        do { hello = try ResponderHello(body: body.span) } catch { return .rejected(error) }
        do {
            try VectorAccess.checkChoice(hello, offered: offered, versions: versions, suites: suites)
            return .accepted([:])
        } catch {
            return .rejected(layer: "handshake", code: "illegal_choice", expected: [:])
        }
    }

    /// Versions and suites that exist here; nil if the case asks for another.
    private static func supported(
        _ params: Arguments, _ versions: String, _ suites: String
    ) throws(SubjectFault) -> ([ProtocolVersion], [Suite])? {
        let (rawVersions, rawSuites) = (try params.numbers(versions), try params.numbers(suites))
        let known = (
            rawVersions.compactMap { ProtocolVersion(rawValue: UInt16(truncatingIfNeeded: $0)) },
            rawSuites.compactMap { Suite(rawValue: UInt16(truncatingIfNeeded: $0)) }
        )
        return known.0.count == rawVersions.count && known.1.count == rawSuites.count ? known : nil
    }

    static func encryptionPolicy(_ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        guard let inviter = EncryptionPreference(rawValue: UInt8(truncatingIfNeeded: try inputs.number("inviter"))),
            let invitee = EncryptionPreference(rawValue: UInt8(truncatingIfNeeded: try inputs.number("invitee")))
        else { throw .badQuestion("inputs.inviter, inputs.invitee") }
        let outcome = EncryptionPolicy.outcome(inviter, invitee)
        return .accepted(["outcome": outcome.map { .integer(Int($0.rawValue)) } ?? "refused"])
    }

    static func crossing(_ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        let (one, other) = (try inputs.bytes("one"), try inputs.bytes("other"))
        guard let left = try? IdentityKey(rawBytes: one), let right = try? IdentityKey(rawBytes: other) else {
            throw .badQuestion("inputs.one, inputs.other")
        }
        let first = CrossingInvitation(to: try session(inputs.bytes("oneSession")), by: left)
        let second = CrossingInvitation(to: try session(inputs.bytes("otherSession")), by: right)
        let oneStands = first.wins(against: second)
        guard oneStands != second.wins(against: first) else {
            throw .inconsistent("both win, or none")
        }
        return .accepted(["stands": .hex(oneStands ? one : other)])
    }

    private static func session(_ bytes: [UInt8]) throws(SubjectFault) -> SessionID {
        guard let session = SessionID(rawBytes: bytes) else {
            throw .badQuestion("inputs.oneSession, inputs.otherSession")
        }
        return session
    }
}

extension SubjectAnswer {
    fileprivate static func refused(_ refusal: Refusal) -> SubjectAnswer {
        .rejected(layer: "handshake", code: "refused", expected: ["refusal": .hex(refusal.body())])
    }
}

extension ControlFrame {
    /// The payload alone.
    var payload: [UInt8] {
        var writer = Writer()
        write(&writer)
        return writer.bytes
    }
}
