import ArgumentParser
import Multipeer
package import MultipeerCrypto
package import MultipeerNIO

/// Parsers of single arguments. Their errors are usage errors.
package enum Arguments {
    package static func displayName(_ text: String) throws -> DisplayName {
        do throws(DisplayNameError) {
            return try DisplayName(text)
        } catch {
            let message =
                switch error {
                case .empty: "A name must have at least one character."
                case .tooLong(let count):
                    "A name may have at most \(DisplayName.maximumLength) bytes; this one has \(count)."
                case .controlCharacter: "A name must not contain control characters, or others that cannot be seen."
                case .blank: "A name must have something that can be seen."
                }
            throw ValidationError(message)
        }
    }

    package static func endpoint(_ text: String) throws -> Endpoint {
        do throws(EndpointSyntaxError) {
            return try Endpoint(parsing: text)
        } catch {
            let message =
                switch error {
                case .missingHost: "There is no host in \(SafeText.escape(text)): give HOST:PORT or unix:PATH."
                case .missingPort: "There is no port in \(SafeText.escape(text)): give HOST:PORT or unix:PATH."
                case .invalidPort: "A port is a number from 1 to 65535."
                case .unbracketedAddress, .unbalancedBrackets: "Put an IPv6 address in brackets: [::1]:PORT."
                case .missingPath: "There is no path after unix:."
                }
            throw ValidationError(message)
        }
    }

    package static func peerID(_ text: String) throws -> IdentityKey {
        guard let key = IdentityKey(text.lowercased()) else {
            throw ValidationError("A peer ID must have 64 hexadecimal digits (multipeer identity show).")
        }
        return key
    }

    /// Parses a number of seconds, whole or not, that an invitation can wait (SPEC §8.2).
    package static func timeout(_ text: String) throws -> Duration {
        guard let seconds = Double(text), seconds >= 0.001, seconds <= 600 else {
            throw ValidationError("A timeout must be a number of seconds from 0.001 to 600.")
        }
        return .milliseconds(Int64((seconds * 1_000).rounded()))
    }

    /// Parses a number of seconds, whole or not, up to a day.
    package static func stallTimeout(_ text: String) throws -> Duration {
        guard let seconds = Double(text), seconds >= 0.001, seconds <= 86_400 else {
            throw ValidationError("This time must be a number of seconds from 0.001 to 86400.")
        }
        return .milliseconds(Int64((seconds * 1_000).rounded()))
    }
}
