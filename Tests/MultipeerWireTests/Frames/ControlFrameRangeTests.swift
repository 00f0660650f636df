import MultipeerWire
import Testing

@Suite("Ranges in PEER_INFO, INVITE, ACCEPT, SPEC §8.1–8.3")
struct InvitationRangeTests {
    static func info(_ maximumMessage: UInt64) -> [UInt8] { vector([0x61]) + varint(maximumMessage) + [0, 0] }

    static func invite(
        sessionKind: UInt8 = 1, preference: UInt8 = 0, kind: UInt8 = 0, timeout: UInt64 = 1, context: [UInt8] = [],
        tail: [UInt8] = [0]
    ) -> [UInt8] {
        counting(64) + [0, sessionKind, preference, kind] + varint(timeout) + vector(context) + tail
    }

    @Test("maximumMessage from 1 to 2^32 − 1 (R8.1-2)")
    func maximumMessage() {
        for value in [1, 2, 63, 65_536, 0xFFFF_FFFF] as [UInt64] {
            #expect(decoded(PeerInfo.self, Self.info(value))?.maximumMessage == value)
        }
        for value in [0, 0x1_0000_0000, VarInt.maximum] as [UInt64] {
            #expect(refusal(PeerInfo.self, Self.info(value)) == WireError(.valueOutOfRange, in: .maximumMessage))
        }
    }

    @Test("Every preference byte (R8.2-1, R8.3-2)")
    func preferences() {
        for byte in UInt8.min...UInt8.max {
            let expected = byte > 2 ? WireError(.valueOutOfRange, in: .preference) : nil
            #expect(refusal(Invite.self, Self.invite(preference: byte)) == expected)
            #expect(refusal(Accept.self, [byte, 0, 0, 0]) == expected)
            #expect(expected.map { $0.closeCode == .malformed } ?? true)
        }
        #expect(EncryptionPreference.allCases.map(\.rawValue) == [0, 1, 2])
        #expect(decoded(Invite.self, Self.invite(preference: 0))?.preference == EncryptionPreference.none)
        #expect(decoded(Invite.self, Self.invite(preference: 1))?.preference == .optional)
        #expect(decoded(Invite.self, Self.invite(preference: 2))?.preference == .required)
    }

    @Test("Every identityKind byte: unknown ones are unsupported, not malformed (R8.2-2, R8.3-2)")
    func identityKinds() {
        for byte in UInt8.min...UInt8.max {
            let expected = byte > 1 ? WireError(.unknownCritical, in: .identityKind) : nil
            #expect(refusal(Invite.self, Self.invite(kind: byte)) == expected)
            #expect(refusal(Accept.self, [0, byte, 0, 0]) == expected)
            #expect(expected.map { $0.closeCode == .unsupported } ?? true)
        }
        #expect(decoded(Accept.self, [0, 0, 0, 0])?.identityKind == IdentityKind.none)
        #expect(decoded(Accept.self, [0, 1, 0, 0])?.identityKind == .x509)
    }

    @Test("Every outcome byte (R8.3-2)")
    func outcomes() {
        for byte in UInt8.min...UInt8.max {
            let expected = byte > 1 ? WireError(.valueOutOfRange, in: .outcome) : nil
            #expect(refusal(Accept.self, [0, 0, byte, 0]) == expected)
        }
        #expect(decoded(Accept.self, [0, 0, 0, 0])?.outcome == .readable)
        #expect(decoded(Accept.self, [0, 0, 1, 0])?.outcome == .encrypted)
    }

    @Test("timeout from 1 to 600,000 ms (R8.2-1)")
    func timeouts() {
        for value in [1, 63, 64, 16_384, 599_999, 600_000] as [UInt64] {
            #expect(decoded(Invite.self, Self.invite(timeout: value))?.timeout == value)
        }
        for value in [0, 600_001, 1 << 32, VarInt.maximum] as [UInt64] {
            #expect(refusal(Invite.self, Self.invite(timeout: value)) == WireError(.valueOutOfRange, in: .timeout))
        }
    }

    @Test("context of 0 to 16,384 bytes", arguments: [0, 1, 16_383, 16_384, 16_385, 40_000])
    func contexts(count: Int) {
        let error = refusal(Invite.self, Self.invite(context: counting(count)))
        #expect(error == (count <= 16_384 ? nil : WireError(.lengthOutOfRange, in: .context)))
    }

    @Test("Fields are judged in their order (R18-1)")
    func order() {
        #expect(
            refusal(Invite.self, Self.invite(preference: 3, kind: 9, timeout: 0))
                == WireError(.valueOutOfRange, in: .preference))
        #expect(
            refusal(Invite.self, Self.invite(kind: 9, timeout: 0, tail: []))
                == WireError(.unknownCritical, in: .identityKind))
        #expect(
            refusal(Invite.self, Self.invite(sessionKind: 3, preference: 3))
                == WireError(.unknownCritical, in: .sessionKind))
        #expect(refusal(Accept.self, [0, 2]) == WireError(.unknownCritical, in: .identityKind))
        #expect(refusal(Accept.self, [0, 0, 2, 9]) == WireError(.valueOutOfRange, in: .outcome))
        #expect(refusal(PeerInfo.self, [0, 0, 0]) == WireError(.valueOutOfRange, in: .maximumMessage))
        #expect(refusal(PeerInfo.self, [1, 0x0A, 0]) == WireError(.valueOutOfRange, in: .displayName))
    }
}

@Suite("Reasons of DECLINE and CANCEL, SPEC §8.4, §8.5")
struct ReasonTests {
    @Test("Known reasons with a detail in another form (R8.4-1)")
    func details() {
        for reason: UInt8 in [1, 2, 4, 6, 7] {
            for count in [1, 2, 64] {
                let error = refusal(Decline.self, [reason] + vector(counting(count)) + [0])
                #expect(error == WireError(.trailingBytes, in: .detail))
            }
        }
        #expect(refusal(Decline.self, [3, 0, 0]) == WireError(.truncated, in: .preference))
        #expect(refusal(Decline.self, [3, 2, 0, 0, 0]) == WireError(.trailingBytes, in: .detail))
        for byte in UInt8(3)...UInt8.max {
            #expect(refusal(Decline.self, [3, 1, byte, 0]) == WireError(.valueOutOfRange, in: .preference))
        }
    }

    @Test("Unknown reasons mean declined, whatever the detail (R8.4-1)")
    func unknownReasons() {
        for reason in [0] + Array(UInt8(8)...UInt8.max) {
            for count in [0, 1, 64] {
                #expect(decoded(Decline.self, [reason] + vector(counting(count)) + [0])?.reason == .declined)
            }
            let tooLong = refusal(Decline.self, [reason] + vector(counting(65)))
            #expect(tooLong == WireError(.lengthOutOfRange, in: .detail))
            #expect(refusal(Decline.self, [reason, 0, 0, 0]) == WireError(.trailingBytes, in: .framePayload))
        }
    }

    @Test("CANCEL: 2 is timeout, every other byte cancelled")
    func cancel() {
        for byte in UInt8.min...UInt8.max {
            #expect(decoded(Cancel.self, [byte, 0])?.reason == (byte == 2 ? .timeout : .cancelled))
        }
    }
}

@Suite("Limits of CERTIFICATES and READY, SPEC §10.2, §10.5")
struct CertificateRangeTests {
    static func payload(_ chain: [[UInt8]]) -> [UInt8] { vector(chain.flatMap(vector)) + [8, 7] + vector([1]) + [0] }

    @Test("At most eight (R10.2-1)", arguments: 0...10)
    func count(count: Int) {
        let chain = [[UInt8]](repeating: [0x30], count: count)
        let error = refusal(Certificates.self, Self.payload(chain))
        #expect(error == (count <= 8 ? nil : WireError(.lengthOutOfRange, in: .chain)))
        if count <= 8 { #expect(decoded(Certificates.self, Self.payload(chain))?.chain == chain) }
    }

    @Test("Each of 1 to 16,384 bytes", arguments: [0, 1, 16_383, 16_384, 16_385])
    func length(count: Int) {
        let error = refusal(Certificates.self, Self.payload([[1], counting(count)]))
        #expect(error == ((1...16_384).contains(count) ? nil : WireError(.lengthOutOfRange, in: .certificate)))
    }

    @Test("At most 49,152 bytes in all (R10.2-1)")
    func total() {
        let three = [[UInt8]](repeating: counting(16_384), count: 3)
        #expect(refusal(Certificates.self, Self.payload(three)) == nil)
        #expect(refusal(Certificates.self, Self.payload(three + [[1]])) == WireError(.lengthOutOfRange, in: .chain))
        let eight = [[UInt8]](repeating: counting(6_144), count: 7)
        #expect(refusal(Certificates.self, Self.payload(eight + [counting(6_144)])) == nil)
        #expect(
            refusal(Certificates.self, Self.payload(eight + [counting(6_145)]))
                == WireError(.lengthOutOfRange, in: .chain))
    }

    @Test("A chain that ends inside a certificate (R3.3-1)")
    func inside() {
        let content = vector(counting(70)) + vector(counting(3))
        for count in 0...content.count {
            let error = refusal(Certificates.self, vector([UInt8](content[..<count])) + [0, 0, 0, 0])
            #expect((error == nil) == [0, 72, 76].contains(count))
        }
        let tooLong = refusal(Certificates.self, varint(49_217) + counting(49_217) + [0, 0, 0])
        #expect(tooLong == WireError(.lengthOutOfRange, in: .chain))
    }

    @Test("A signature of 0 to 4,096 bytes, any algorithm", arguments: [0, 1, 4_096, 4_097])
    func signature(count: Int) {
        let error = refusal(Certificates.self, [0, 0xAB, 0xCD] + vector(counting(count)) + [0])
        #expect(error == (count <= 4_096 ? nil : WireError(.lengthOutOfRange, in: .signature)))
        if count <= 4_096 {
            let frame = decoded(Certificates.self, [0, 0xAB, 0xCD] + vector(counting(count)) + [0])
            #expect(frame?.algorithm == 0xABCD && frame?.signature == counting(count))
        }
    }

    @Test("The signed bytes of a chain are the content of its vector (SPEC §10.3)")
    func encodedChain() {
        let chain: [[UInt8]] = [counting(100), [1], counting(20_000)]
        #expect(Certificates.encode(chain: chain) == chain.flatMap(vector))
        #expect(Certificates.encode(chain: []) == [])
    }

    @Test("READY and REKEY are a field list (SPEC §10.5, §12.6)")
    func ready() {
        #expect(refusal(Ready.self, [0]) == nil && refusal(Rekey.self, [0]) == nil)
        #expect(refusal(Ready.self, []) == WireError(.truncated, in: .fields))
        #expect(refusal(Ready.self, [0, 0]) == WireError(.trailingBytes, in: .framePayload))
        #expect(refusal(Rekey.self, vector(field(2))) == WireError(.unknownCritical, in: .fieldType))
        #expect(Ready().encoded() == [0x10, 1, 0] && Rekey().encoded() == [0x12, 1, 0])
    }
}

@Suite("Features in PEER_INFO, SPEC §8.1")
struct FeatureTests {
    private static func info(_ features: [UInt8]) -> [UInt8] { [1, 0x41, 1] + vector(features) + [0] }

    @Test("Strictly ascending, at most 128, whole (R8.1-3, R8.1-4)")
    func lists() {
        #expect(decoded(PeerInfo.self, Self.info([0, 1, 0x0A, 0x0A]))?.features == [1, 0x0A0A])
        let many = (0..<129).flatMap { [UInt8(1), UInt8($0)] }
        #expect(decoded(PeerInfo.self, Self.info(Array(many.prefix(256))))?.features.count == 128)
        #expect(refusal(PeerInfo.self, Self.info(many)) == WireError(.lengthOutOfRange, in: .features))
        #expect(refusal(PeerInfo.self, Self.info([0, 1, 0])) == WireError(.lengthOutOfRange, in: .features))
        for pair in [[0, 2, 0, 2], [0, 2, 0, 1]] as [[UInt8]] {
            #expect(refusal(PeerInfo.self, Self.info(pair)) == WireError(.notAscending, in: .features))
        }
    }
}

@Suite("Padding, SPEC §6.5")
struct PaddingTests {
    @Test("Every number of bytes but one can be filled, by whole frames of zero bytes (R6.5-1)")
    func every() throws {
        for count in [0] + Array(2...4_200) {
            var bytes: [UInt8] = []
            bytes.append(addingCapacity: count) { (output: inout OutputSpan<UInt8>) in
                Padding.append(count, to: &output)
            }
            #expect(bytes.count == count)
            var cursor = FrameCursor(bytes.span)
            while let frame = try cursor.next() {
                let isPadding = frame.type == .padding
                let payload = [UInt8](copying: frame.payload)
                #expect(isPadding && payload.allSatisfy { $0 == 0 })
            }
        }
    }

    @Test("A record that lacks one byte is filled up to the next multiple")
    func multiples() {
        for unit in [Padding.unit, Padding.certificatesUnit] {
            for length in 1...3 * unit {
                let added = Padding.length(forRecord: length, unit: unit)
                #expect((length + added) % unit == 0 && added != 1 && added <= unit + 1)
            }
        }
        #expect(Padding.length(forRecord: 1_024, unit: 1_024) == 0)
        #expect(Padding.length(forRecord: 1_023, unit: 1_024) == 1_025)
    }
}

@Suite("Ranges in FILE frames, SPEC §15.3–15.5")
struct FileRangeTests {
    static func offer(size: UInt64 = 1, name: [UInt8] = [0x61]) -> [UInt8] {
        varint(0) + varint(size) + counting(16) + [0, 0, 0] + vector(name) + vector([])
    }

    @Test("size up to 2^53 − 1")
    func sizes() {
        #expect(maximumFileSize == 9_007_199_254_740_991)
        for size in [0, 1, 1 << 52, 9_007_199_254_740_991] as [UInt64] {
            #expect(decoded(FileOffer.self, Self.offer(size: size))?.size == size)
        }
        for size in [9_007_199_254_740_992, VarInt.maximum] as [UInt64] {
            #expect(refusal(FileOffer.self, Self.offer(size: size)) == WireError(.valueOutOfRange, in: .fileSize))
        }
    }

    @Test("name of 1 to 255 bytes", arguments: [0, 1, 254, 255, 256])
    func names(count: Int) {
        let error = refusal(FileOffer.self, Self.offer(name: [UInt8](repeating: 0x61, count: count)))
        #expect(error == ((1...255).contains(count) ? nil : WireError(.lengthOutOfRange, in: .fileName)))
    }

    @Test("A name is data: dangerous names decode, and the receiver cleans them (SPEC §15.5)")
    func rawNames() {
        for text in ["../../etc/passwd", "a\u{0}b", "C:\\x", "\u{202E}gpj.exe", " ", "."] {
            #expect(decoded(FileOffer.self, Self.offer(name: Array(text.utf8)))?.name == Array(text.utf8))
        }
    }

    @Test("Every reason byte of FILE_CANCEL: unknown reasons are 2, and no bit is special (SPEC §15.3)")
    func reasons() {
        let known: [UInt8: FileCancel.Reason] = [
            1: .declined, 2: .cancelled, 3: .storageFailed, 4: .sourceFailed, 5: .hashMismatch, 6: .tooLarge,
            7: .beginningDiffers, 8: .sourceChanged, 9: .noSpace, 10: .noPermission, 11: .badManifest,
            12: .interrupted, 13: .stalled,
        ]
        for byte in UInt8.min...UInt8.max {
            let expected = FileCancel(id: 9, reason: known[byte] ?? .cancelled)
            #expect(decoded(FileCancel.self, [9, byte, 0]) == expected)
        }
    }
}
