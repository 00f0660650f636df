import Foundation
import MultipeerCertificates
import MultipeerTestSupport

/// x509-limbo's test cases (limbo-schema.json), as far as the peer subset uses them.
struct Limbo: Decodable {
    struct Name: Decodable {
        let kind: String
        let value: String
    }

    struct Case: Decodable {
        let id: String
        let validationKind: String
        let trustedCerts: [String]
        let untrustedIntermediates: [String]
        let peerCertificate: String
        let validationTime: String?
        let expectedResult: String
        let expectedPeerName: Name?
        let expectedPeerNames: [Name]
        let maxChainDepth: Int?
    }

    let testcases: [Case]

    /// The external vectors are never part of the repository.
    static let isPresent = ExternalVectors.has("x509/limbo-generated.json")

    /// The cases that the peer subset leaves out.
    static func otherCases() throws -> [Case] {
        let peer = Set(try peerCases().map(\.id))
        return try ExternalVectors.load("x509/limbo-generated.json", as: Limbo.self).testcases
            .filter { !peer.contains($0.id) }
    }

    /// The 131 cases of limbo-peer-subset.json, in its order.
    static func peerCases() throws -> [Case] {
        struct Subset: Decodable { let ids: [String] }
        let subset = try ExternalVectors.load("x509/limbo-peer-subset.json", as: Subset.self)
        let all = try ExternalVectors.load("x509/limbo-generated.json", as: Limbo.self).testcases
        let byID = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })
        return subset.ids.compactMap { byID[$0] }
    }
}

extension Limbo.Case {
    /// Seconds since 1970, rounded down as RFC 5280's granularity asks; a fixed day where the case names none.
    var time: Int64 {
        guard let validationTime else { return 1_750_000_000 }
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions =
            validationTime.contains(".") ? [.withInternetDateTime, .withFractionalSeconds] : .withInternetDateTime
        return Int64((formatter.date(from: validationTime)?.timeIntervalSince1970 ?? 0).rounded(.down))
    }

    /// The requirements that our validator is given for this case.
    var requirements: PathRequirements {
        var requirements = PathRequirements(purpose: validationKind == "SERVER" ? .server : .client)
        requirements.expectedNames = ([expectedPeerName].compactMap(\.self) + expectedPeerNames).map(\.expected)
        if let maxChainDepth { requirements.maximumIntermediates = maxChainDepth }
        return requirements
    }
}

extension Limbo.Name {
    fileprivate var expected: ExpectedName {
        switch kind {
        case "DNS": .dns(value)
        case "IP": .ip(Self.octets(of: value))
        default: .email(value)
        }
    }

    private static func octets(of address: String) -> [UInt8] {
        let size = address.contains(":") ? 16 : 4
        var octets = [UInt8](repeating: 0, count: size)
        let parsed = inet_pton(size == 16 ? AF_INET6 : AF_INET, address, &octets)
        return parsed == 1 ? octets : []
    }
}
