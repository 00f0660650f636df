import MultipeerCore
import MultipeerCrypto
import MultipeerWire

/// The second half of the worked trace: what the two parties would say as members, byte by byte (SPEC appendix B.4).
struct MemberTrace {
    let crypto: CryptoProvider
    let founder: SessionTrace.Party
    let member: SessionTrace.Party
    /// Of the session in the first half.
    let nonce: [UInt8]

    /// A named value, or a part of a frame with its meaning.
    private typealias Part = (bytes: [UInt8], meaning: String)

    func write(to text: inout TraceText) throws {
        let session = try SessionCharter(
            Charter(
                founder: founder.identity.identityKey.rawBytes, nonce: nonce,
                parameters: CharterParameters(maximumMembers: 8).fields), hashing: crypto.hashing)
        let key = member.identity.identityKey
        let chain = try AdmissionChain(founderOf: session).admitting(key, by: founder.identity, in: session)
        guard let chain else { return }
        introduce(session, chain, &text)
        let address = MemberAddress(kind: MemberAddress.ipv4, value: [192, 0, 2, 1, 0x12, 0x67])
        let own = try VerifiedEntry.signed(
            RosterEntry.Content(
                member: session.founder.rawBytes, instance: 1_795_000_000_000, sequence: 0,
                name: Array(founder.name.utf8),
                addresses: [address]), by: founder.identity, in: session, hashing: crypto.hashing)
        let other = try VerifiedEntry.signed(
            RosterEntry.Content(
                member: key.rawBytes, instance: 1_795_000_001_000, sequence: 0, name: Array(member.name.utf8),
                chain: chain.admissions), by: member.identity, in: session, hashing: crypto.hashing)
        entry(own, of: founder, &text)
        entry(other, of: member, &text)
        hashes([own, other].sorted { $0.member < $1.member }, session, &text)
        frames(&text)
        manifest(&text)
    }

    private func introduce(_ session: SessionCharter, _ chain: AdmissionChain, _ text: inout TraceText) {
        text.line()
        text.line("### B.4 A session of two, above READY")
        text.line()
        text.line(
            "Both parties of B.3 are guests (§14.5), who say nothing of §14. This part has their keys and their nonce.")
        text.line(
            "\(founder.name)'s session takes 8 members; \(member.name)'s chain is one admission by her. Signatures are by RFC 8032,"
        )
        text.line("so anyone gets the same bytes.")
        text.line()
        text.fence()
        text.value("charter", session.charter.encoded)
        text.value("session identifier", session.id.rawBytes)
        text.value(
            "admission, input", SessionAccess.admissionMessage(admitting: chain.member.rawBytes, to: session))
        text.value("\(member.name)'s admission", Admission.encode(chain.admissions))
        text.value("ADMIT", Admit(chain: chain.admissions).encoded())
        text.fence()
    }

    private func entry(_ entry: VerifiedEntry, of party: SessionTrace.Party, _ text: inout TraceText) {
        let frame = RosterFrame(entries: [entry.entry]).encoded()
        let content = entry.entry.content
        let list = entry.encoded.count
        text.line()
        text.line("**\(party.name)'s own entry, in ROSTER**")
        text.line()
        text.fence()
        var parts: [Part] = [
            ([UInt8(FrameType.roster.rawValue)], "type: ROSTER"),
            (varint(list + varint(list).count), "length of payload = \(list + varint(list).count)"),
            (varint(list), "length of entries = \(list)"), (content.member, "member"),
            (varint(Int(content.instance)), "instance = \(content.instance)"),
            (varint(Int(content.sequence)), "sequence = \(content.sequence)"), ([1], "presence: present"),
            (varint(content.name.count), "length of name = \(content.name.count)"),
            (content.name, "name: \"\(party.name)\""),
        ]
        let addresses = content.addresses.reduce(0) { $0 + 2 + $1.value.count }
        parts.append((varint(addresses), "length of addresses = \(addresses)"))
        for address in content.addresses {
            parts += [
                ([address.kind], "kind: IPv4"),
                (varint(address.value.count), "length of value = \(address.value.count)"),
                (address.value, "192.0.2.1, port 4711"),
            ]
        }
        let chain = content.chain.count * Admission.length
        parts.append((varint(chain), "length of chain = \(chain)" + (chain == 0 ? ": the founder" : "")))
        for admission in content.chain {
            parts += [
                (admission.admitter, "admitter"), (admission.signature, "signature, over the input of the admission"),
            ]
        }
        parts += [([0], "length of fields = 0"), (entry.entry.signature, "signature, over the input of the entry")]
        precondition(parts.flatMap(\.bytes) == frame)
        var offset = 0
        for part in parts {
            text.bytes(part.bytes, at: offset, part.meaning)
            offset += part.bytes.count
        }
        text.fence()
    }

    private func hashes(_ entries: [VerifiedEntry], _ session: SessionCharter, _ text: inout TraceText) {
        let input =
            Array("multipeer/1 roster".utf8) + [0] + session.id.rawBytes + [0, UInt8(entries.count)]
            + entries.flatMap(\.hash)
        let nothing: [UInt8] = []
        let digest = crypto.hashing.hash(input.span, nothing.span).rawBytes
        text.line()
        text.line(
            "**Hashes.** \(member.name)'s key is the lesser one, so his hash comes first in the digest, and he sends DIGEST."
        )
        text.line()
        text.fence()
        for (party, entry) in [founder, member].flatMap({ party in
            entries.filter { $0.member == party.identity.identityKey }.map { (party, $0) }
        }) {
            text.value("entry hash of \(party.name)'s", entry.hash)
        }
        text.value("digest, input", input)
        text.value("DIGEST", DigestFrame(digest: digest).encoded())
        text.fence()
    }

    private func frames(_ text: inout TraceText) {
        let (hello, nothing) = (Array("hello".utf8), [UInt8]())
        let digest = crypto.hashing.hash(hello.span, nothing.span).rawBytes
        let data = WireText.frame(.fileData, [2, 0] + hello)
        let frames: [(String, [UInt8])] = [
            ("CREDIT of 300,000 of messages", Credit(kind: .messages, limit: 300_000).encoded()),
            ("ACK of 64 frames", Ack(count: 64).encoded()),
            ("STREAM_OPEN 0, both ways", StreamOpen(id: 0, credit: 32_768, name: Array("chat".utf8)).encoded()),
            ("STREAM_DATA \"hi\"", WireText.frame(.streamData, [0] + Array("hi".utf8))),
            ("STREAM_END of 2 bytes", StreamEnd(id: 0, size: 2).encoded()),
            ("FILE_OFFER 2, 5 bytes", FileOffer(id: 2, size: 5, name: Array("a.txt".utf8)).encoded()),
            ("FILE_ACCEPT from 0", FileAccept(id: 2, credit: 5).encoded()), ("FILE_DATA \"hello\"", data),
            ("FILE_END", FileEnd(id: 2, digest: digest).encoded()), ("FILE_DONE", FileDone(id: 2).encoded()),
        ]
        text.line()
        text.line("**Frames of §13 and §15.** \(member.name) has the even numbers: his stream is 0, his file 2.")
        text.line()
        text.fence()
        for (name, frame) in frames { text.value(name, frame, indent: 32) }
        text.fence()
    }

    private func manifest(_ text: inout TraceText) {
        let manifest = FolderManifest(members: [
            FolderMember(kind: .folder, size: 0, modified: 0, path: Array("bin".utf8)),
            FolderMember(kind: .executable, size: 3, modified: 1_700_000_000, path: Array("bin/run".utf8)),
        ]).encoded
        text.line()
        text.line(
            "**A manifest** of a folder `src`, in which a folder `bin` has one program of three bytes; `size` of the")
        text.line("offer is \(manifest.count) + 3.")
        text.line()
        text.fence()
        text.value("manifest", manifest)
        text.fence()
    }

    private func varint(_ value: Int) -> [UInt8] { WireText.varint(UInt64(value)) }
}

/// Bytes of frames that have no value of their own.
private enum WireText {
    static func varint(_ value: UInt64) -> [UInt8] {
        var writer = Writer()
        writer.varint(value)
        return writer.bytes
    }

    static func frame(_ type: FrameType, _ payload: [UInt8]) -> [UInt8] {
        varint(type.rawValue) + varint(UInt64(payload.count)) + payload
    }
}
