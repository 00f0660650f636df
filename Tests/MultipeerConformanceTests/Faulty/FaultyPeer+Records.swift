import MultipeerConformance
import MultipeerCrypto
import MultipeerSodium
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

    func sendHello() throws {
        var random: any RandomSource = Tools.sodium.random
        let noise = try NoiseNNInitiator(crypto: crypto, random: &random)
        let hello = InitiatorHello(
            versions: [0x2A2A, 1], suites: [1, 0x5A5A, 2], extensions: [HelloExtension(type: 0x7A7A, data: [])],
            ephemeral: noise.ephemeralKey.rawBytes)
        self.noise = consume noise
        offer = hello
        let bytes = ClearRecord.opening(.hello, body: hello.body())
        ownPrologue = Array(bytes.dropLast(32))
        output += bytes
    }

    private func takeHello(_ record: [UInt8]) throws {
        hasReadHello = true
        let body = Array(record.dropFirst(3))
        if role == .initiator { try finish(record, body) } else { try answer(record, body) }
        stage = .proof
        if has(.ignoresFailedTag) { leniency.isOn = true }
        if role == .responder || has(.provesFirst) { try sendProof() }
        if has(.showsNameEarly), role == .responder { sendPeerInfo() }
    }

    /// The responder's part (SPEC §7.3).
    private func answer(_ record: [UInt8], _ body: [UInt8]) throws {
        let hello = try decodeHello(body)
        let version = has(.choosesGrease) ? hello.versions.first : hello.versions.first { $0 == 1 }
        guard let version else { return try refuse(.unsupportedVersion) }
        let known = hello.suites.filter { $0 == 1 || $0 == 2 }
        let suite = has(.prefersOwnSuite) ? known.min() : known.first
        guard let suite else { return try refuse(.unsupportedSuite) }
        peerPrologue = Magic.bytes + record.dropLast(32)
        let head = [
            UInt8(version >> 8), UInt8(version & 0xFF), UInt8(suite >> 8), UInt8(suite & 0xFF), 0,
        ]
        ownPrologue = Magic.bytes + [0x01, 0, UInt8(head.count + 48)] + head
        let prologue = prologue(peerPrologue, ownPrologue)
        do {
            var random: any RandomSource = Tools.sodium.random
            let noise = try NoiseNNResponder(
                suite: suite == 1 ? .chaChaPoly : .aesGCM, prologue: prologue.span, crypto: crypto)
            var payload: [UInt8] = []
            let replying = try noise.read(hello.ephemeral.span, payload: &payload)
            var message: [UInt8] = []
            begin(try replying.write(random: &random, into: &message))
            output += ownPrologue + message
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
        let list: [UInt16] = has(.refusesWithGrease) ? [1, 0x1A1A] : code == .unsupportedVersion ? [1] : [1, 2]
        let refusal = Refusal(
            code: code, versions: code == .unsupportedVersion ? list : [],
            suites: code == .unsupportedSuite ? list : [])
        output += ClearRecord.opening(.refusal, body: refusal.body())
        stage = .over
        endsSending = true
        throw Failure.handled
    }

    /// The initiator's part (SPEC §7.3, §9.3).
    private func finish(_ record: [UInt8], _ body: [UInt8]) throws {
        guard let hello = try? ResponderHello(body: body.span), let offer, let noise = noise.take() else {
            throw Failure(code: nil, isBroken: true)
        }
        guard hello.version == 1 || has(.takesAnyVersion), offer.suites.contains(hello.suite) || has(.takesAnySuite),
            hello.suite == 1 || hello.suite == 2 || has(.takesAnySuite),
            hello.extensions.isEmpty || has(.takesAnyExtension)
        else { throw Failure(code: nil, isBroken: true) }
        peerPrologue = Magic.bytes + record.dropLast(48)
        let prologue = prologue(ownPrologue, peerPrologue)
        do {
            leniency.isOn = has(.ignoresConfirmation)
            let awaiting = try noise.start(
                suite: hello.suite == 2 ? .aesGCM : .chaChaPoly, prologue: prologue.span)
            var payload: [UInt8] = []
            begin(try awaiting.read((hello.ephemeral + hello.confirmation).span, payload: &payload))
            leniency.isOn = false
        } catch {
            throw Failure(code: nil, isBroken: true)
        }
    }

    private func prologue(_ initiator: [UInt8], _ responder: [UInt8]) -> [UInt8] {
        Array("multipeer/1 prologue".utf8) + [0] + initiator + responder
    }

    private func begin(_ transport: consuming NoiseTransport) {
        hash = transport.handshakeHash.rawBytes
        sending = consume transport.sending
        receiving = consume transport.receiving
    }

    // MARK: Protected records

    private func takeProtected(_ record: [UInt8], _ kind: RecordKind) throws {
        let isReadable = outcome == .readable && (stage == .open || (stage == .closing && gotReady))
        if kind == .authenticated, !isReadable, !has(.takesAuthenticatedOnEncrypted) {
            throw Failure(code: .wrongProtection, isBroken: true)
        }
        let tagStart = record.count - 16
        let boundary = kind == .authenticated ? tagStart : 3
        var plaintext: [UInt8] = []
        do {
            let (sealed, data) = (Array(record[boundary...]), Array(record[..<boundary]))
            try plaintext.append(addingCapacity: sealed.count - 16) {
                (output: inout OutputSpan<UInt8>) throws(CryptoFailure) in
                try receiving?.open(sealed.span, associatedData: data.span, into: &output)
            }
            if !has(.forgetsRekey), let counter = receiving?.nonce, counter % 65_536 == 0 { try receiving?.rekey() }
        } catch {
            if has(.dropsUnverifiedRecords) { return }
            throw Failure(code: .decryptFailed, isBroken: true)
        }
        if kind == .authenticated { plaintext = Array(record[3..<tagStart]) }
        try takeFrames(plaintext, kind)
    }

    private func takeFrames(_ plaintext: [UInt8], _ kind: RecordKind) throws {
        var offset = 0
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
