import Foundation

/// What a manager asks of a device.
enum Request: String, Codable {
    /// How are you?
    case report
    /// Leave the session.
    case leave
}

/// How a device is.
struct Report: Codable {
    /// For how many seconds it has run.
    let uptime: Int
    /// The devices that it is connected with.
    let peers: [String]
}

extension Encodable {
    func encoded() throws -> Data { try JSONEncoder().encode(self) }
}

extension Decodable {
    /// Nil for what is no such message.
    init?(message: Data) {
        guard let value = try? JSONDecoder().decode(Self.self, from: message) else { return nil }
        self = value
    }
}
