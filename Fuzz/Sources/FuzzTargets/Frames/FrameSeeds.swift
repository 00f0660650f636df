import FuzzSupport
import MultipeerVectors
import MultipeerWire

/// Plaintexts of records: those of the vectors, and one of each frame's payload.
enum FrameSeeds {
    static func make(_ vectors: VectorSet) -> [[UInt8]] {
        vectors.bytes(of: .frames) + payloads(vectors, .controlFrame) + payloads(vectors, .payloadFrame)
    }

    private static func payloads(_ vectors: VectorSet, _ group: VectorGroupType) -> [[UInt8]] {
        vectors.cases(group).compactMap { params, test in
            guard let payload = test.inputs.bytes("payload"), let name = params["frame"]?.text,
                let type = FrameType.allCases.first(where: { $0.name == name })
            else { return nil }
            var writer = Writer()
            writer.varint(type.rawValue)
            writer.vector(payload)
            return writer.bytes
        }
    }
}
