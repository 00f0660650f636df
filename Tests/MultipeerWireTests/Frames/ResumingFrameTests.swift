import MultipeerWire
import Testing

@Suite("RESUME and RESUMED, SPEC §13.9")
struct ResumingFrameTests {
    private static let proof = [UInt8](repeating: 9, count: 32)

    private static func resumed(_ files: [UInt8]) -> Result<Resumed, WireError> {
        let payload = [3] + vector(files) + [0] + proof
        do throws(WireError) {
            return .success(try Resumed(payload: payload.span))
        } catch {
            return .failure(error)
        }
    }

    @Test("The proof covers all that precedes it")
    func proved() throws {
        var resume = Resume(
            association: counting(16, from: 1), epoch: 2, received: 3, files: [FilePosition(id: 4, offset: 5)])
        resume.proof = Self.proof
        var payload = Writer()
        resume.write(&payload)
        #expect(payload.bytes == resume.proved + Self.proof)
        var resumed = Resumed(received: 3, files: [FilePosition(id: 4, offset: 5)])
        resumed.proof = Self.proof
        var other = Writer()
        resumed.write(&other)
        #expect(other.bytes == resumed.proved + Self.proof)
    }

    @Test("The numbers of files ascend, and no list ends in the middle of one (R13.9-9)")
    func positions() {
        let order = WireError(.valueOutOfRange, in: .filePositions)
        #expect((try? Self.resumed([1, 7, 3, 0]).get())?.files.map(\.id) == [1, 3])
        #expect(Self.resumed([3, 7, 1, 0]) == .failure(order))
        #expect(Self.resumed([3, 7, 3, 8]) == .failure(order))
        #expect(Self.resumed([3]) == .failure(WireError(.truncated, in: .filePositions)))
        let long = [UInt8](repeating: 0, count: 1_025)
        #expect(Self.resumed(long) == .failure(WireError(.lengthOutOfRange, in: .filePositions)))
    }
}
