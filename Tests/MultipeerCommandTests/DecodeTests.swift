import MultipeerCommandLine
import MultipeerCore
import MultipeerCrypto
import MultipeerTerminal
import MultipeerTestSupport
import MultipeerWire
import Testing

@testable import MultipeerLab

@Suite("Decoding captures, SPEC §6", .endsIfItHangs)
struct DecodeTests {
    private static func hex(_ bytes: [UInt8]) -> [UInt8] { Array(Hexadecimal.encode(bytes).utf8) }

    @Test("The readable direction: hellos, GREASE, sealed and readable records, frames")
    func readable() async throws {
        let capture = try Capture(encryption: .none)
        let finished = try await Tool.run(["decode", "--json"], input: capture.initiator)
        #expect(finished.status == 0)
        let events = finished.events
        #expect(events.first?["event"] == .string("magic"))
        let hello = try #require(events.first("record"))
        #expect(hello["record"] == .string("HELLO") && hello["sender"] == .string("initiator"))
        #expect(hello["offset"] == .number(8))
        guard case .array(let versions) = hello["fields"]?["versions"] else {
            throw Tool.Failure(description: "versions")
        }
        #expect(Set(versions.map { $0["name"]?.string }) == ["GREASE", "draft 04 of version 1"])
        let records = events.all("record").dropFirst()
        #expect(records.compactMap { $0["counter"]?.number } == Array(0..<records.count))
        #expect(Set(records.compactMap { $0["record"]?.string }) == ["ENCRYPTED", "AUTHENTICATED"])
        let frames = events.all("frame")
        #expect(frames.first?["frame"] == .string("MESSAGE"))
        #expect(frames.first?["fields"]?["data"]?["text"] == .string("readable?"))
        #expect(frames.contains { $0["frame"] == .string("FILE_DATA") })
    }

    @Test("An encrypted session shows no frame, and the responder's hello is recognised")
    func sealed() async throws {
        let capture = try Capture(encryption: .required)
        let finished = try await Tool.run(["decode", "--json"], input: capture.responder)
        #expect(finished.status == 0)
        #expect(finished.events.all("frame").isEmpty)
        let hello = try #require(finished.events.first("record"))
        #expect(hello["sender"] == .string("responder"))
        #expect(hello["fields"]?["suite"]?["name"] == .string("Noise_NN_25519_ChaChaPoly_SHA256"))
        #expect(hello["fields"]?["confirmation"]?.string?.count == 32)
    }

    @Test("Hexadecimal text in any form decodes as the bytes do, from a file or from standard input")
    func forms() async throws {
        let capture = try Capture(encryption: .none)
        let scratch = try Scratch()
        let plain = try await Tool.run(["decode"], input: capture.initiator)
        let dressed = capture.initiator.enumerated().reduce(into: "# a capture\n") { text, byte in
            text += (byte.offset % 16 == 0 ? "\n0x" : ":") + Hexadecimal.encode([byte.element]).uppercased()
        }
        for input in [Self.hex(capture.initiator), Array(dressed.utf8)] {
            let finished = try await Tool.run(["decode"], input: input)
            #expect(finished.status == 0)
            #expect(finished.output == plain.output)
        }
        let file = try scratch.write("capture", capture.initiator)
        let finished = try await Tool.run(["decode", file])
        #expect(finished.output == plain.output)
        #expect(!plain.output.contains("\u{1B}"))
    }

    @Test("--frames decodes the plaintext of every record of a session")
    func frames() async throws {
        let capture = try Capture(encryption: .required)
        var names: Set<String> = []
        for plaintext in capture.plaintexts {
            let finished = try await Tool.run(["decode", "--frames", "--json", "--input", "binary"], input: plaintext)
            #expect(finished.status == 0)
            names.formUnion(finished.events.all("frame").compactMap { $0["frame"]?.string })
        }
        #expect(
            names == [
                "PADDING", "PROOF", "PEER_INFO", "INVITE", "ACCEPT", "CERTIFICATES", "READY", "MESSAGE", "FILE_OFFER",
                "FILE_ACCEPT", "FILE_DATA", "FILE_END", "FILE_DONE", "ACK", "CLOSE",
            ])
    }

    @Test(
        "Malformed input gives offset, reason and status 76",
        arguments: [
            ("4d504545520d0a01", 7, "malformed"), ("474554202f", 0, "malformed"),
            ("4d504545520d0a0003", 8, "malformed"), ("4d504545520d0a00100012", 8, "unexpected_record"),
            ("4d504545520d0a00010026", 8, "malformed"), ("4d504545520d0a0001002700", 8, nil), ("4d504545", 4, nil),
            ("4d504545520d0a00", 8, nil), ("", 0, nil),
            ("4d504545520d0a00020003030000" + "10", 14, "unexpected_record"),
            ("4d504545520d0a0002000309ff00", 8, "malformed"), ("4d5", 2, nil), ("xyz", 0, nil), ("4d 5 0", 3, nil),
        ] as [(String, Int, String?)])
    func malformed(hex: String, offset: Int, code: String?) async throws {
        let finished = try await Tool.run(["decode", "--json", "--input", "hex"], input: Array(hex.utf8))
        #expect(finished.status == 76)
        let fault = try #require(finished.events.first("fault"))
        #expect(fault["offset"] == .number(Double(offset)))
        #expect(fault["code"] == (code.map(JSONValue.string) ?? .null))
        #expect(fault["reason"]?.string?.isEmpty == false)
        #expect(finished.events.first("failed")?["reason"]?.string?.contains("offset \(offset)") == true)
    }

    @Test(
        "Malformed frames are reported",
        arguments: [
            ("0001", 0, "malformed"), ("0002000000", 4, "malformed"), ("3000", 0, "unsupported"),
            ("1f00400000", 2, "malformed"),
            ("10010a", 0, "malformed"), ("4200", 0, "malformed"), ("1001000003010000", 3, "malformed"), ("", 0, nil),
        ] as [(String, Int, String?)])
    func malformedFrames(hex: String, offset: Int, code: String?) async throws {
        let finished = try await Tool.run(["decode", "--frames", "--json"], input: Array(hex.utf8))
        #expect(finished.status == 76)
        #expect(finished.events.first("fault")?["offset"] == .number(Double(offset)))
        #expect(finished.events.first("fault")?["code"] == (code.map(JSONValue.string) ?? .null))
    }

    @Test("A REFUSAL is decoded, and the peer's text is escaped")
    func refusalAndEscapes() async throws {
        let refusal = try await Tool.run(["decode", "--json"], input: Array("4d504545520d0a00020003030000".utf8))
        #expect(refusal.status == 0)
        #expect(refusal.events.first("record")?["fields"]?["code"]?["name"] == .string("busy"))
        // MESSAGE of the bytes ESC [ 2 J.
        let frame = try await Tool.run(["decode", "--frames"], input: Array("40400504 1b5b324a".utf8))
        #expect(frame.status == 0)
        #expect(frame.output.contains(#"\u{1B}[2J"#))
        #expect(!frame.output.contains("\u{1B}"))
    }

    // In this process, because there are too many cases for processes.

    private static func decode(_ bytes: [UInt8]) -> (count: Int, fault: DecodeFault?) {
        var count = 0
        do throws(DecodeFault) {
            var decoder = StreamDecoder(sender: nil) { item in
                // Both forms are made, so that neither can trap.
                _ = (JSON.object(item.members).line, item.text(Palette(isEnabled: true)))
                count += 1
            }
            try decoder.decode(bytes)
            return (count, nil)
        } catch {
            return (count, error)
        }
    }

    @Test("Every prefix of a capture ends at a boundary, or is reported as cut")
    func prefixes() throws {
        let whole = try Capture(encryption: .none).initiator
        // Beyond the first kilobytes there is file data, and no other case.
        let capture = Array(whole.prefix(7_500))
        var boundaries = 0
        for length in 0...capture.count {
            let (count, fault) = Self.decode(Array(capture.prefix(length)))
            if let fault {
                #expect(fault.code == nil && fault.offset <= length)
            } else {
                #expect(count >= 2)
                boundaries += 1
            }
        }
        #expect(boundaries >= 5)
    }

    @Test("A flipped bit anywhere, and noise, never trap")
    func flips() throws {
        let capture = Array(try Capture(encryption: .none).initiator.prefix(1_500))
        for index in capture.indices {
            for bit in 0..<8 {
                var flipped = capture
                flipped[index] ^= 1 << UInt8(bit)
                let (_, fault) = Self.decode(flipped)
                if index < 8 { #expect(fault?.offset == index && fault?.code == "malformed") }
            }
        }
    }
}
