@_spi(Observation) internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerWire

/// The keys and packets of datagrams (SPEC §26.3, §26.4).
struct DatagramGroup {
    let crypto: SwiftCrypto

    func run(_ params: Arguments, _ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        let secret = try inputs.bytes("exporterSecret")
        guard let suite = Suite(rawValue: UInt16(truncatingIfNeeded: try params.number("suite"))),
            let sender = LinkRole(name: try inputs.text("sender")),
            let kind = DatagramKind(rawValue: UInt8(truncatingIfNeeded: try inputs.number("kind"))), secret.count == 32
        else { throw .badQuestion("inputs") }
        let contents = try inputs.bytes("contents")
        guard kind.lengths.contains(DatagramHeader.length + contents.count + aeadTagLength) else {
            throw .badQuestion("inputs.contents")
        }
        do {
            let made = try DatagramAccess.seal(
                by: sender, suite: suite, exporterSecret: try crypto.provider.secrets.makeSecret(copying: secret.span),
                kind: kind, contents: contents, counter: try inputs.wide("counter"), crypto: crypto.provider)
            return .accepted(["tag": .hex(made.tag), "key": .hex(made.key), "packet": .hex(made.packet)])
        } catch let fault as SubjectFault {
            throw fault
        } catch { throw .fault("\(error)") }
    }
}
