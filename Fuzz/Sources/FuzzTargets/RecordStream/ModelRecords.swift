import MultipeerWire

extension RecordStreamSetting {
    /// The same stream by SPEC §6.1, §6.2 and §19, with all of it at hand. Shares no code with the assembler.
    func model(_ stream: [UInt8]) -> Reading {
        var reading = Reading()
        let magic: [UInt8] = [0x4D, 0x50, 0x45, 0x45, 0x52, 0x0D, 0x0A, 0x00]
        guard stream.prefix(8).elementsEqual(magic.prefix(stream.count)) else {
            reading.fault = .malformed(WireError(.valueOutOfRange, in: .magic))
            return reading
        }
        var rest = stream.dropFirst(8)
        var left = allowance
        while reading.fault == nil, !rest.isEmpty {
            guard let length = length(of: &reading, rest, &left), length <= rest.count else { return reading }
            reading.records.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        reading.isAtBoundary = reading.fault == nil && stream.count >= 8
        return reading
    }

    /// The length of the record at the beginning of `rest`; nil while unknown, or when the reading has a fault.
    private func length(of reading: inout Reading, _ rest: ArraySlice<UInt8>, _ left: inout Int?) -> Int? {
        let isFirst = reading.records.isEmpty
        guard let code = rest.first else { return nil }
        guard let kind = RecordKind(rawValue: code) else {
            reading.fault = .malformed(WireError(.valueOutOfRange, in: .recordKind))
            return nil
        }
        let expected: [UInt8] = !isFirst ? [0x10, 0x11] : opening == .hello ? [0x01] : [0x01, 0x02]
        guard expected.contains(code) else {
            reading.fault = .unexpectedKind(kind)
            return nil
        }
        guard rest.count >= 3 else { return nil }
        let body = Int(rest[rest.startIndex + 1]) * 256 + Int(rest[rest.startIndex + 2])
        let limits: [UInt8: (least: Int, most: Int)] = [
            0x01: (39, 4_096), 0x02: (3, 256), 0x10: (18, 65_532), 0x11: (18, 65_532),
        ]
        guard let limit = limits[code], body >= limit.least, body <= limit.most else {
            reading.fault = .malformed(WireError(.lengthOutOfRange, in: .recordLength))
            return nil
        }
        if !isFirst {
            guard body + 3 <= maximumRecordLength, body + 3 <= left ?? .max else {
                reading.fault = .limitExceeded
                return nil
            }
            left = left.map { $0 - body - 3 }
        }
        return body + 3
    }
}
