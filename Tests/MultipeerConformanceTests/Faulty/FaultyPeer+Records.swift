import MultipeerConformance
import MultipeerScriptedPeer
import MultipeerWire

/// Magic, records, hellos.
extension FaultyPeer {
    /// Deals with the next record; false when it is not all there.
    func takeRecord() throws -> Bool {
        try takeMagic()
        guard magicSeen == 8, let kindByte = buffer.first else { return false }
        let isWhole = buffer.count >= 3 && buffer.count >= 3 + (Int(buffer[1]) << 8 | Int(buffer[2]))
        if has(.waitsForWholeRecord), !isWhole { return false }
        let kind = try check(kindByte)
        guard buffer.count >= 3 else { return false }
        let length = Int(buffer[1]) << 8 | Int(buffer[2])
        try check(kind, length: length)
        guard isWhole else { return false }
        let record = Array(buffer.prefix(3 + length))
        buffer.removeFirst(record.count)
        switch kind {
        case .hello: try takeHello(record)
        case .refusal:
            if !has(.ignoresRefusal) { throw Failure(code: nil, isBroken: true) }
        case .encrypted, .authenticated:
            allowance -= record.count
            try takeProtected(record, kind)
        }
        return true
    }

    private func takeMagic() throws {
        if has(.waitsForWholeMagic), magicSeen == 0, buffer.count < 8 { return }
        while magicSeen < 8, let byte = buffer.first {
            guard byte == Magic.bytes[magicSeen] else {
                if has(.answersBadMagic) {
                    output += Magic.bytes + [0x02, 0, 3, 4, 0, 0]
                    stage = .over
                    endsSending = true
                    throw Failure.handled
                }
                throw Failure(code: .malformed, isBroken: true)
            }
            magicSeen += 1
            buffer.removeFirst()
        }
    }

    private func check(_ byte: UInt8) throws -> RecordKind {
        guard let kind = RecordKind(rawValue: byte) else { throw Failure(code: .malformed, isBroken: true) }
        let isLegal =
            switch kind {
            case .hello: !hasReadHello
            case .refusal: !hasReadHello && role == .initiator
            case .encrypted, .authenticated: hasReadHello
            }
        guard isLegal else { throw Failure(code: .unexpectedRecord, isBroken: true) }
        return kind
    }

    private func check(_ kind: RecordKind, length: Int) throws {
        let isTolerated = kind == .hello && has(.toleratesLongHello)
        guard kind.bodyLengths.contains(length) || isTolerated else { throw Failure(code: .malformed, isBroken: true) }
        guard kind == .encrypted || kind == .authenticated else { return }
        if !isProved, !has(.takesLongRecordBeforeProof), 3 + length > 1_024 {
            throw Failure(code: .limitExceeded, isBroken: true)
        }
        let isBeforeOpen = stage != .open && stage != .closing
        if isBeforeOpen, !has(.ignoresLimitBeforeOpen), 3 + length > allowance {
            throw Failure(code: .limitExceeded, isBroken: true)
        }
    }

    // MARK: Hellos

    private var current: UInt16 { ProtocolVersion.draft04.rawValue }
    private static let suites: [UInt16] = [1, 0x5A5A, 2]

    func sendHello() throws {
        try script.sendHello(.init(versions: [0x2A2A, current], suites: Self.suites, extensions: [(0x7A7A, [])]))
        output += script.flush()
    }

    private func takeHello(_ record: [UInt8]) throws {
        hasReadHello = true
        let body = Array(record.dropFirst(3))
        script.take(hello: record)
        if role == .initiator { try finish(body) } else { try answer(body) }
        script.receiving?.skipsRekey = has(.forgetsRekey)
        stage = .proof
        if role == .responder || has(.provesFirst) { try sendProof() }
        if has(.showsNameEarly), role == .responder { sendPeerInfo() }
    }

    /// The responder's part (SPEC §7.3).
    private func answer(_ body: [UInt8]) throws {
        let hello = try decodeHello(body)
        let version = has(.choosesGrease) ? hello.versions.first : hello.versions.first { $0 == current }
        guard let version else { return try refuse(.unsupportedVersion) }
        let known = hello.suites.filter { $0 == 1 || $0 == 2 }
        let suite = has(.prefersOwnSuite) ? known.min() : known.first
        guard let suite else { return try refuse(.unsupportedSuite) }
        do {
            try script.sendAnswer(.init(version: version, suite: suite))
            output += script.flush()
        } catch {
            throw Failure(code: nil, isBroken: true)
        }
    }

    private func decodeHello(_ body: [UInt8]) throws -> InitiatorHello {
        do {
            return try InitiatorHello(body: body.span)
        } catch {
            let isTolerated =
                (has(.toleratesDuplicateVersions) && error.field == .versions && error.reason == .notAscending)
                || (has(.toleratesExtensionOrder) && error.field == .extensionType)
            guard isTolerated else { throw Failure(code: nil, isBroken: true) }
            return InitiatorHello(versions: [1], suites: [1], extensions: [], ephemeral: body.suffix(32))
        }
    }

    private func refuse(_ code: Refusal.Code) throws {
        let list: [UInt16] =
            has(.refusesWithGrease) ? [current, 0x1A1A] : code == .unsupportedVersion ? [current] : [1, 2]
        let refusal = Refusal(
            code: code, versions: code == .unsupportedVersion ? list : [],
            suites: code == .unsupportedSuite ? list : [])
        output += ClearRecord.opening(.refusal, body: refusal.body())
        stage = .over
        endsSending = true
        throw Failure.handled
    }

    /// The initiator's part (SPEC §7.3, §9.3).
    private func finish(_ body: [UInt8]) throws {
        guard let hello = try? ResponderHello(body: body.span) else { throw Failure(code: nil, isBroken: true) }
        guard hello.version == current || has(.takesAnyVersion),
            Self.suites.contains(hello.suite) || has(.takesAnySuite),
            hello.suite == 1 || hello.suite == 2 || has(.takesAnySuite),
            hello.extensions.isEmpty || has(.takesAnyExtension)
        else { throw Failure(code: nil, isBroken: true) }
        do {
            try script.finishHandshake(with: hello.suite == 2 ? .aesGCM : .chaChaPoly)
        } catch {
            throw Failure(code: nil, isBroken: true)
        }
    }

    // MARK: Protected records

    private func takeProtected(_ record: [UInt8], _ kind: RecordKind) throws {
        let isReadable = outcome == .readable && (stage == .open || (stage == .closing && gotReady))
        if kind == .authenticated, !isReadable, !has(.takesAuthenticatedOnEncrypted) {
            throw Failure(code: .wrongProtection, isBroken: true)
        }
        let plaintext: [UInt8]
        do {
            plaintext = try script.open(record, kind)
        } catch {
            if has(.dropsUnverifiedRecords) { return }
            throw Failure(code: .decryptFailed, isBroken: true)
        }
        try takeFrames(plaintext, kind)
    }

    private func takeFrames(_ plaintext: [UInt8], _ kind: RecordKind) throws {
        var offset = 0
        hasRekeyed = false
        while offset < plaintext.count, stage != .over {
            let start = offset
            let type = try varint(plaintext, &offset)
            let length = try varint(plaintext, &offset)
            guard length <= UInt64(plaintext.count - offset) || has(.toleratesFramesTooLong) else {
                throw Failure(code: .malformed)
            }
            let end = offset + min(Int(clamping: length), plaintext.count - offset)
            let (payload, frame) = (Array(plaintext[offset..<end]), Array(plaintext[start..<end]))
            offset = end
            do {
                try take(type: type, payload: payload, frame: frame, kind: kind)
            } catch let failure as Failure {
                fail(failure)
            }
        }
    }

    private func varint(_ bytes: [UInt8], _ offset: inout Int) throws -> UInt64 {
        guard offset < bytes.count else { throw Failure(code: .malformed) }
        let length = 1 << Int(bytes[offset] >> 6)
        guard offset + length <= bytes.count else { throw Failure(code: .malformed) }
        var value = UInt64(bytes[offset] & 0x3F)
        for index in offset + 1..<offset + length { value = value << 8 | UInt64(bytes[index]) }
        offset += length
        guard VarInt.length(of: value) == length || has(.readsLongIntegers) else { throw Failure(code: .malformed) }
        return value
    }
}
