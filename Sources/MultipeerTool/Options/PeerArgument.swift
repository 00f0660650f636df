import ArgumentParser
import Multipeer
import MultipeerCommandLine
import MultipeerNIO

/// The peer that an argument means.
enum PeerArgument: Hashable, Sendable {
    /// The peer that listens at this address.
    case address(Endpoint)
    /// The peer nearby of this name, or whose tag or key begins so.
    case nearby(String)

    /// An address is an address, and everything else a name. A peer whose name is an address is meant by its tag.
    @Sendable static func parse(_ text: String) throws -> PeerArgument {
        guard !text.isEmpty else { throw ValidationError("Nobody has an empty name.") }
        if let endpoint = try? Endpoint(parsing: text), endpoint.canBeCalled { return .address(endpoint) }
        guard !looksLikeAddress(text) else {
            let endpoint = try Arguments.endpoint(text)
            guard endpoint.canBeCalled else { throw ValidationError("A port is a number from 1 to 65535.") }
            return .address(endpoint)
        }
        return .nearby(text)
    }

    /// Whether somebody who types this means an address, and has made a mistake in it.
    private static func looksLikeAddress(_ text: String) -> Bool {
        guard text.unicodeScalars.allSatisfy({ $0.isASCII && $0 != " " }) else { return false }
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false)
        return text.contains(":") || numbers.count == 4 && numbers.allSatisfy { UInt8($0) != nil }
    }

    /// What the person has typed, safe to print.
    var text: String {
        switch self {
        case .address(let endpoint): SafeText.escape(endpoint.description)
        case .nearby(let name): SafeText.escape(name)
        }
    }
}

extension Endpoint {
    /// Whether this can be what a person means by an address: names of peers may have a colon, and hosts have no blanks.
    fileprivate var canBeCalled: Bool {
        switch self {
        case .tcp(let host, let port): port > 0 && host.utf8.allSatisfy { $0 > UInt8(ascii: " ") && $0 < 0x7F }
        case .unixSocket: true
        }
    }
}
