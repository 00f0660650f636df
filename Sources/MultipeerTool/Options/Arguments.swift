import ArgumentParser
import Multipeer
import MultipeerCrypto
import MultipeerNIO
import MultipeerWire

/// Parsers of single arguments. Their errors are usage errors.
enum Arguments {
    static func displayName(_ text: String) throws -> DisplayName {
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

    static func endpoint(_ text: String) throws -> Endpoint {
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

    static func peerID(_ text: String) throws -> IdentityKey {
        guard let key = IdentityKey(text.lowercased()) else {
            throw ValidationError("A peer ID must have 64 hexadecimal digits (multipeer identity show).")
        }
        return key
    }

    /// Parses a number of seconds, whole or not, that an invitation can wait (SPEC §8.2).
    static func timeout(_ text: String) throws -> Duration {
        guard let seconds = Double(text), seconds >= 0.001, seconds <= 600 else {
            throw ValidationError("A timeout must be a number of seconds from 0.001 to 600.")
        }
        return .milliseconds(Int64((seconds * 1_000).rounded()))
    }

    /// Parses a number of seconds, whole or not, from none to a day.
    static func retry(_ text: String) throws -> Duration {
        guard let seconds = Double(text), seconds >= 0, seconds <= 86_400 else {
            throw ValidationError("This time must be a number of seconds from 0 to 86400.")
        }
        return .milliseconds(Int64((seconds * 1_000).rounded()))
    }

    /// Parses a number of seconds, whole or not, up to a day.
    static func stallTimeout(_ text: String) throws -> Duration {
        guard let seconds = Double(text), seconds >= 0.001, seconds <= 86_400 else {
            throw ValidationError("This time must be a number of seconds from 0.001 to 86400.")
        }
        return .milliseconds(Int64((seconds * 1_000).rounded()))
    }

    /// Parses the name of a file, without a path.
    static func fileName(_ text: String) throws -> String {
        guard !text.isEmpty, text.utf8.count <= 255, text != ".", text != "..", !text.utf8.contains(UInt8(ascii: "/")),
            !text.utf8.contains(0)
        else { throw ValidationError("A name of a file must have 1 to 255 bytes and no slash.") }
        return text
    }

    /// Parses the name of a stream (SPEC §15.6).
    static func streamName(_ text: String) throws -> String {
        guard text.utf8.count <= StreamOpen.maximumNameLength else {
            throw ValidationError("The name of a stream may have at most \(StreamOpen.maximumNameLength) bytes.")
        }
        return text
    }

    static func context(_ text: String) throws -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.count <= Invite.maximumContextLength else {
            throw ValidationError("A context may have at most \(Invite.maximumContextLength) bytes.")
        }
        return bytes
    }
}
