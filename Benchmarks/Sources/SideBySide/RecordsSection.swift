import MultipeerWire
import Workloads

extension Suite {
    var name: String {
        switch self {
        case .chaChaPoly: "ChaCha20-Poly1305"
        case .aesGCM: "AES-256-GCM"
        case .hybridChaChaPoly: "ML-KEM-768, ChaCha20-Poly1305"
        case .hybridAESGCM: "ML-KEM-768, AES-256-GCM"
        }
    }
}

/// Payload of 64 bytes to 64 KiB: records alone, and whole messages from link to link.
struct RecordsSection {
    static let lengths = [64, 1_024, 16_384, 65_536]

    let peers: Peers
    let effort: Effort

    private struct Row {
        let cells: [String]
        let againstAEAD: Summary
        let againstTLS: Summary
    }

    func run(_ report: Report) throws -> [Budget] {
        var budgets: [Budget] = []
        report.title("Records")
        report.paragraph(
            "Seal and open of one payload. *Records* is `RecordSealer` and `RecordOpener`: the frames are in the "
                + "record, are sealed in place and opened to a second buffer. *Bare AEAD* does that in one C loop, in "
                + "one call whatever the length. *TLS 1.3* is `gnutls_record_send` and `gnutls_record_recv`. Ratios "
                + "are speeds: above 1, records are the faster.")
        var rows: [[String]] = []
        for suite in Suite.classical {
            for length in Self.lengths {
                let row = try records(suite, length)
                rows.append(row.cells)
                if length == 16_384 { budgets += Self.budgets(suite, row) }
            }
        }
        report.table(
            ["suite", "payload", "÷ bare AEAD", "÷ TLS 1.3", "records", "bare AEAD", "TLS 1.3", "records : TLS's"], rows
        )
        return budgets
    }

    private static func budgets(_ suite: Suite, _ row: Row) -> [Budget] {
        [
            Budget(
                what: "record, 16 KiB, \(suite.name), against the bare AEAD", asked: "≥ 0.95",
                found: row.againstAEAD.median.text(2), isKept: row.againstAEAD.median >= 0.945),
            Budget(
                what: "the same against GnuTLS's TLS 1.3 records", asked: "> 1",
                found: row.againstTLS.median.text(2), isKept: row.againstTLS.median > 1),
        ]
    }

    private func records(_ suite: Suite, _ length: Int) throws -> Row {
        let layer = Box(try RecordLayer(peers, suite: suite, length: length))
        let raw = try RawAEAD(suite: suite, length: length)
        let tls = try TLSReference.Connection(TLSReference(peers, suite: suite))
        let source = [UInt8](repeating: 7, count: length)
        var sink = source
        let times = try compete(
            [
                Contestant(name: "records") { try layer.value.run($0) },
                Contestant(name: "bare AEAD") { try raw.runInPlace($0) },
                Contestant(name: "TLS 1.3") { try tls.transfer(source, into: &sink, $0) },
            ], effort)
        let againstAEAD = Summary(speedOf: times[0], against: times[1])
        let againstTLS = Summary(speedOf: times[0], against: times[2])
        let cells =
            [suite.name, Self.name(length), againstAEAD.ratioText, againstTLS.ratioText]
            + times.map { Summary($0).median.nanosecondsText }
            + ["\(layer.value.recordsPerPayload) : \(tls.recordsPerPayload)"]
        return Row(cells: cells, againstAEAD: againstAEAD, againstTLS: againstTLS)
    }

    static func name(_ length: Int) -> String { length < 1_024 ? "\(length) B" : "\(length / 1_024) KiB" }
}

/// Whole messages from link to link: what an app gets.
struct MessagesSection {
    let peers: Peers
    let effort: Effort

    func run(_ report: Report) throws -> [Budget] {
        report.title("Messages from link to link")
        report.paragraph(
            "`Link.send`, `transmit`, `receive` and the effect with the message: framing, record, and two copies more "
                + "than the bare AEAD makes, which here seals from one buffer to a second and opens to a third. "
                + "*Readable* is a link without payload encryption: the AEAD over associated data alone.")
        var rows: [[String]] = []
        var budgets: [Budget] = []
        for suite in Suite.classical {
            for length in RecordsSection.lengths {
                let (cells, againstTLS) = try messages(suite, length)
                rows.append(cells)
                guard length == 64 else { continue }
                budgets.append(
                    Budget(
                        what: "message of 64 B, link to link, \(suite.name), against GnuTLS's TLS 1.3 records",
                        asked: "> 1", found: againstTLS.text(2), isKept: againstTLS > 1))
            }
        }
        report.table(
            ["suite", "message", "÷ bare AEAD", "÷ TLS 1.3", "message", "bare AEAD", "TLS 1.3", "readable message"],
            rows)
        report.paragraph(
            "Sixteen messages that wait at once, as where an app sends faster than its transport takes bytes: they share a "
                + "record. TLS sends and receives a record for each; it has no other boundaries. Times are of one message."
        )
        report.table(
            ["suite", "message", "÷ TLS 1.3", "message", "TLS 1.3"],
            try Suite.classical.flatMap { suite in try [64, 1_024].map { try burst(suite, $0) } })
        return budgets
    }

    private static let burst = 16

    private func burst(_ suite: Suite, _ length: Int) throws -> [String] {
        let pair = Box(try LinkedPair(peers, suite: suite, proof: .identityKeys, paths: nil))
        try pair.value.open()
        let tls = try TLSReference.Connection(TLSReference(peers, suite: suite))
        let message = [UInt8](repeating: 7, count: length)
        var sink = message
        let times = try compete(
            [
                Contestant(name: "burst") { for _ in 0..<$0 { try pair.value.transfer(message, burst: Self.burst) } },
                Contestant(name: "TLS 1.3") { try tls.transfer(message, into: &sink, $0 * Self.burst) },
            ], effort)
        return [
            suite.name, RecordsSection.name(length), Summary(speedOf: times[0], against: times[1]).ratioText,
        ] + times.map { Summary($0.map { $0 / Double(Self.burst) }).median.nanosecondsText }
    }

    private func messages(_ suite: Suite, _ length: Int) throws -> (cells: [String], againstTLS: Double) {
        let pair = Box(try LinkedPair(peers, suite: suite, proof: .identityKeys, paths: nil))
        try pair.value.open()
        let readable = Box(try LinkedPair(peers, suite: suite, proof: .identityKeys, encryption: .none, paths: nil))
        try readable.value.open()
        let raw = try RawAEAD(suite: suite, length: length)
        let tls = try TLSReference.Connection(TLSReference(peers, suite: suite))
        let message = [UInt8](repeating: 7, count: length)
        var sink = message
        let times = try compete(
            [
                Contestant(name: "message") { for _ in 0..<$0 { try pair.value.transfer(message) } },
                Contestant(name: "bare AEAD") { try raw.runAcross($0) },
                Contestant(name: "TLS 1.3") { try tls.transfer(message, into: &sink, $0) },
                Contestant(name: "readable") { for _ in 0..<$0 { try readable.value.transfer(message) } },
            ], effort)
        let againstTLS = Summary(speedOf: times[0], against: times[2])
        let cells =
            [
                suite.name, RecordsSection.name(length), Summary(speedOf: times[0], against: times[1]).ratioText,
                againstTLS.ratioText,
            ] + times.map { Summary($0).median.nanosecondsText }
        return (cells, againstTLS.median)
    }
}
