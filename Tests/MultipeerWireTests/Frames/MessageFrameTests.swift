import MultipeerWire
import Testing

/// MESSAGE, copied out.
func message(_ payload: [UInt8]) -> (total: UInt64, data: [UInt8])? {
    do throws(WireError) {
        let frame = try MessageFrame(payload: payload.span)
        return (frame.total, [UInt8](copying: frame.data))
    } catch {
        return nil
    }
}

/// FILE_DATA, copied out.
func fileData(_ payload: [UInt8]) -> (id: UInt64, offset: UInt64, data: [UInt8])? {
    do throws(WireError) {
        let frame = try FileDataFrame(payload: payload.span)
        return (frame.id, frame.offset, [UInt8](copying: frame.data))
    } catch {
        return nil
    }
}

@Suite("MESSAGE, SPEC §15.1")
struct MessageFrameTests {
    static func error(_ payload: [UInt8]) -> WireError? {
        refusal { () throws(WireError) in _ = try MessageFrame(payload: payload.span) }
    }

    @Test("Every total from 0 to 130 with every count of data from 0 to 130 (R15.1-1)")
    func totals() {
        var wrong: [(total: Int, count: Int)] = []
        for total in 0...130 {
            for count in 0...130 {
                let bytes = varint(UInt64(total)) + counting(count)
                let isFine = count <= total && (count > 0 || total == 0)
                let result = message(bytes)
                if isFine {
                    if result?.total != UInt64(total) || result?.data != counting(count) {
                        wrong.append((total, count))
                    }
                } else if Self.error(bytes) != WireError(.lengthOutOfRange, in: .messageData) {
                    wrong.append((total, count))
                }
            }
        }
        #expect(wrong.isEmpty)
    }

    @Test(
        "Totals above any machine's limit are still numbers (R15.1-4)", arguments: [1 << 32, 1 << 61, VarInt.maximum])
    func absurdTotals(total: UInt64) {
        #expect(message(varint(total) + [1])?.total == total)
        #expect(Self.error(varint(total)) == WireError(.lengthOutOfRange, in: .messageData))
    }

    @Test("The total can be judged before the data (R15.1-3, R18-1)")
    func totalFirst() throws {
        let tooMuch = varint(5) + counting(6)
        #expect(try MessageFrame.total(payload: tooMuch.span) == 5)
        let nothing = varint(VarInt.maximum)
        #expect(try MessageFrame.total(payload: nothing.span) == VarInt.maximum)
        let error = refusal { () throws(WireError) in
            let bytes: [UInt8] = [0x80, 0]
            _ = try MessageFrame.total(payload: bytes.span)
        }
        #expect(error == WireError(.truncated, in: .messageTotal))
    }

    @Test("Every prefix is refused, or is another message")
    func prefixes() {
        let bytes = varint(70) + counting(70)
        for count in 0..<bytes.count {
            let result = message([UInt8](bytes[..<count]))
            #expect(count <= 2 ? result == nil : result?.data == counting(count - 2))
        }
        #expect(Self.error([]) == WireError(.truncated, in: .messageTotal))
        #expect(Self.error(varint(5, length: 2) + [1]) == WireError(.nonMinimalInteger, in: .messageTotal))
    }
}

@Suite("FILE_DATA, SPEC §15.3")
struct FileDataFrameTests {
    static func error(_ payload: [UInt8]) -> WireError? {
        refusal { () throws(WireError) in _ = try FileDataFrame(payload: payload.span) }
    }

    @Test("Every prefix is refused, or has less data; data has at least one byte (R15.3-3)")
    func prefixes() {
        let bytes = varint(70) + varint(1 << 30) + counting(50)
        for count in 0...bytes.count {
            let result = fileData([UInt8](bytes[..<count]))
            guard count > 10 else {
                #expect(result == nil)
                continue
            }
            #expect(result?.id == 70 && result?.offset == 1 << 30 && result?.data == counting(count - 10))
        }
        #expect(Self.error(varint(1) + varint(2)) == WireError(.lengthOutOfRange, in: .fileData))
    }

    @Test("The largest numbers decode; the transfer judges them")
    func largest() {
        let result = fileData(varint(VarInt.maximum) + varint(VarInt.maximum) + [1])
        #expect(result?.id == VarInt.maximum && result?.offset == VarInt.maximum && result?.data == [1])
        #expect(Self.error(varint(1, length: 4) + [0, 1]) == WireError(.nonMinimalInteger, in: .fileID))
        #expect(Self.error([1] + varint(1, length: 8) + [1]) == WireError(.nonMinimalInteger, in: .fileOffset))
    }
}
