internal import MultipeerCrypto

/// What peers say of themselves by DNS-SD, and how it is read: SPEC §23.1 to §23.3.
struct DiscoveryGroups {
    let crypto: SwiftCrypto

    func advertisement(_ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        // What is no text is no display name either (R23.2-5).
        let name = String(validating: try inputs.bytes("instanceName"), as: UTF8.self) ?? ""
        guard let read = Advertisement(reading: try inputs.byteStrings("strings"), instanceName: name) else {
            return .badAdvertisement
        }
        return .accepted(
            .members([
                "tag": .string(read.tag.bytes.description), "private": .bool(read.isPrivate),
                "name": read.name.map { .hex($0.utf8Bytes) }, "info": Self.hex(read.info.strings),
            ]))
    }

    func publication(_ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        let (label, shown) = (try inputs.bytes("service"), try inputs.bytes("name"))
        let texts = try inputs.byteStrings("info")
        guard let key = try? IdentityKey(rawBytes: try inputs.bytes("identityKey")),
            let drawn = KeyTag(Hexadecimal.encode(try inputs.bytes("random"))),
            let isPrivate = inputs.json["private"]?.truth
        else { throw .badQuestion("inputs") }
        guard let service = Self.text(label).flatMap({ try? ServiceType($0) }),
            let name = Self.text(shown).flatMap({ try? DisplayName($0) }), let info = Self.info(texts)
        else { return .badAdvertisement }
        let tag = KeyTag(of: key, hashing: crypto.provider.hashing)
        let advertisement =
            isPrivate ? Advertisement(privately: drawn, info: info) : Advertisement(of: tag, named: name, info: info)
        var tried = advertisement.instanceName
        for _ in 1..<max(1, try inputs.number("attempt")) { _ = tried.next() }
        let strings = advertisement.strings(as: tried.text)
        if !isPrivate { try readAgain(advertisement, strings, tried.text) }
        return .accepted([
            "type": .string(service.dnsName), "instanceName": .hex(Array(tried.text.utf8)),
            "strings": Self.hex(strings),
        ])
    }

    /// What is said is what is read.
    private func readAgain(
        _ advertisement: Advertisement, _ strings: [[UInt8]], _ instanceName: String
    ) throws(SubjectFault) {
        guard Advertisement(reading: strings, instanceName: instanceName) == advertisement else {
            throw .inconsistent("the advertisement that is read")
        }
    }

    /// Nil for what nobody may say (R23.2-2).
    private static func info(_ texts: [[UInt8]]) -> DiscoveryInfo? {
        var pairs: [(key: String, value: String)] = []
        for bytes in texts {
            guard let separator = bytes.firstIndex(of: UInt8(ascii: "=")), let key = text(Array(bytes[..<separator])),
                let value = text(Array(bytes[(separator + 1)...]))
            else { return nil }
            pairs.append((key, value))
        }
        return try? DiscoveryInfo(pairs: pairs)
    }

    private static func text(_ bytes: [UInt8]) -> String? { String(validating: bytes, as: UTF8.self) }

    private static func hex(_ strings: [[UInt8]]) -> JSONValue { .array(strings.map(JSONValue.hex)) }
}

extension SubjectAnswer {
    /// What is ignored when it is read, and not said at all.
    fileprivate static var badAdvertisement: SubjectAnswer {
        .rejected(layer: "any", code: "bad_advertisement", expected: [:])
    }
}
