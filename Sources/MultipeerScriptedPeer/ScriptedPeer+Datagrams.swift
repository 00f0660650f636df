import MultipeerCrypto
public import MultipeerWire

/// Datagrams beside the link (SPEC §26), sealed and opened by hand. Needs the remote peer's PROOF.
extension ScriptedPeer {
    /// A datagram of the remote peer.
    public struct Datagram: Hashable, Sendable {
        public let kind: DatagramKind
        public let counter: UInt64
        public let contents: [UInt8]

        /// What a probe says.
        public var probe: DatagramProbe? { kind == .probe ? DatagramProbe(contents: contents.span) : nil }
        /// What a report says.
        public var report: DatagramReport? { kind == .report ? DatagramReport(contents: contents.span) : nil }
    }

    /// A packet of this peer.
    public func datagram(
        _ kind: DatagramKind, _ contents: [UInt8], counter: UInt64
    ) throws(ScriptedPeerError) -> [UInt8] {
        let header = try header(of: role, kind.rawValue, counter)
        let key = try datagramKey(of: role, counter)
        var packet = header + contents + [UInt8](repeating: 0, count: aeadTagLength)
        let end = packet.count - aeadTagLength
        try attempt { () throws(CryptoFailure) in
            var span = packet.mutableSpan
            try key.seal(&span, associatedData: 0..<header.count, plaintext: header.count..<end, nonce: counter)
        }
        return packet
    }

    /// Opens a packet of the remote peer.
    /// - Returns: Nil if it is not one, or does not verify.
    public func open(datagram packet: [UInt8]) throws(ScriptedPeerError) -> Datagram? {
        guard let header = DatagramHeader(packet: packet.span) else { return nil }
        let expected = try self.header(of: role.other, header.kind.rawValue, header.counter)
        guard packet.starts(with: expected) else { return nil }
        let key = try datagramKey(of: role.other, header.counter)
        let sealed = Array(packet.dropFirst(expected.count))
        var contents: [UInt8] = []
        do throws(CryptoFailure) {
            try contents.append(addingCapacity: sealed.count - aeadTagLength) {
                (output: inout OutputSpan<UInt8>) throws(CryptoFailure) in
                try key.open(sealed.span, associatedData: expected.span, nonce: header.counter, into: &output)
            }
        } catch {
            return nil
        }
        return Datagram(kind: header.kind, counter: header.counter, contents: contents)
    }

    private func header(
        of sender: StreamRole, _ kind: UInt8, _ counter: UInt64
    ) throws(ScriptedPeerError) -> [UInt8] {
        [kind] + (try export(label: Array("multipeer/1 datagram tag".utf8), context: [sender.byte], length: 8))
            + WireBytes.u64(counter)
    }

    private func datagramKey(
        of sender: StreamRole, _ counter: UInt64
    ) throws(ScriptedPeerError) -> any AEADKey {
        let bytes = try export(
            label: Array("multipeer/1 datagram".utf8), context: [sender.byte] + WireBytes.u64(counter >> 20), length: 32
        )
        guard let suite else { throw .noKeys }
        return try attempt { () throws(CryptoFailure) in try suite.makeKey(bytes, crypto) }
    }
}
