@_spi(Observation) internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerWire

/// Record protection and rekeying (SPEC §12).
struct ProtectionGroups {
    let crypto: SwiftCrypto

    func protection(_ params: Arguments, _ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        guard let suite = suite(try params.number("suite")) else { return .unimplemented }
        let isReadable = try params.text("encryption") == "readable"
        let (key, counter) = (try inputs.bytes("key"), try inputs.wide("counter"))
        guard let (watched, capture) = try? crypto.capturingKeys(of: suite) else { return .unimplemented }
        var channel = try channel(suite, key, counter, watched)
        var opened: [JSONValue] = []
        var rejection: (layer: String, code: String)?
        for wire in try inputs.byteStrings("records") where rejection == nil {
            let at = channel.receivingCounter
            switch try open(wire, isReadable: isReadable, &channel) {
            case .success(let (header, frames)):
                opened.append([
                    "kind": .integer(Int(header.kind.rawValue)), "plaintext": .hex(frames), "counter": .wide(at),
                ])
                do { try WireGroups.requireSame(try channel.seal(header.kind, frames: frames), wire) } catch let error
                    as SubjectFault
                { throw error } catch { throw .inconsistent("does not seal: \(error)") }
            case .failure(let fault): rejection = (fault.layer, fault.code)
            }
        }
        let (after, keyAfter) = (channel.receivingCounter, capture.lastKey)
        if inputs.has("genuine"),
            case .failure = try open(
                try inputs.bytes("genuine"), isReadable: isReadable, &channel)
        {
            throw .inconsistent("the genuine record does not open after the tampered one")
        }
        let expected: JSONValue = [
            "opened": .array(opened), "counterAfter": .wide(after), "keyAfter": .hex(keyAfter),
        ]
        guard let rejection else { return .accepted(expected) }
        return .rejected(layer: rejection.layer, code: rejection.code, expected: expected)
    }

    private struct Fault: Error {
        let layer: String
        let code: String
    }

    private func suite(_ number: Int) -> Suite? { Suite(rawValue: UInt16(truncatingIfNeeded: number)) }

    private func channel(
        _ suite: Suite, _ key: [UInt8], _ counter: UInt64, _ watched: CryptoProvider
    ) throws(SubjectFault) -> RecordAccess {
        do throws(CryptoFailure) {
            let sending = try crypto.cipher(suite, key: key, counter: counter)
            let receiving = try crypto.cipher(suite, key: key, counter: counter, provider: watched)
            return RecordAccess(sending: sending, receiving: receiving)
        } catch { throw .badQuestion("inputs.key") }
    }

    private func open(
        _ wire: [UInt8], isReadable: Bool, _ channel: inout RecordAccess
    ) throws(SubjectFault) -> Result<(RecordHeader, [UInt8]), Fault> {
        let header: RecordHeader
        switch try judgedHeader(of: wire) {
        case .success(let good): header = good
        case .failure(let fault): return .failure(fault)
        }
        if header.kind == .authenticated, !isReadable {
            return .failure(Fault(layer: "protection", code: "wrong_protection"))
        }
        do { return .success((header, try channel.open(header, record: wire))) } catch {
            // Anything else than a bad tag is no fault of the record: the counter is used up (SPEC §12.1).
            return .failure(
                error == .authenticationFailed
                    ? Fault(layer: "protection", code: "decrypt_failed") : Fault(layer: "any", code: "internal"))
        }
    }

    /// The header of what must be one whole record.
    private func judgedHeader(of wire: [UInt8]) throws(SubjectFault) -> Result<RecordHeader, Fault> {
        var assembler = RecordAssembler(expecting: .protected)
        var offset = 0
        let stream = Magic.bytes + wire
        do throws(RecordFault) {
            if case .inInput(let header, _) = try assembler.next(stream.span, from: &offset), offset == stream.count {
                return .success(header)
            }
        } catch {
            if case .unexpectedKind = error { return .failure(Fault(layer: "wire", code: "unexpected_record")) }
            return .failure(Fault(layer: "wire", code: "malformed"))
        }
        throw .badQuestion("inputs.records")
    }

    func rekey(_ params: Arguments, _ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        guard let suite = suite(try params.number("suite")) else { return .unimplemented }
        let key = try inputs.bytes("key")
        do { return .accepted(["key": .hex(try crypto.rekeyed(suite, key: key))]) } catch {
            throw .badQuestion("inputs.key")
        }
    }
}
