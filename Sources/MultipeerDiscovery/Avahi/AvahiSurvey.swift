internal import CAvahi

/// What of Avahi there is on this host.
public struct AvahiSurvey: Hashable, Sendable {
    /// What the daemon calls itself, such as `avahi 0.8`; nil if none runs.
    public let daemonVersion: String?
    /// Why the daemon cannot be used; nil if it can.
    public let daemonError: DiscoveryError?
    /// Whether there is the library for a responder inside the process.
    public let hasResponder: Bool

    /// Creates a survey of what is known.
    public init(daemonVersion: String?, daemonError: DiscoveryError?, hasResponder: Bool) {
        self.daemonVersion = daemonVersion
        self.daemonError = daemonError
        self.hasResponder = hasResponder
    }

    /// Asks the libraries and the daemon. The call blocks for as long as the message bus takes to answer.
    public static func make() -> AvahiSurvey {
        var core = MultipeerAvahiCore()
        let hasResponder = unsafe multipeer_avahi_load_core(&core) != 0
        do throws(DiscoveryError) {
            return AvahiSurvey(daemonVersion: try daemon(), daemonError: nil, hasResponder: hasResponder)
        } catch {
            return AvahiSurvey(daemonVersion: nil, daemonError: error, hasResponder: hasResponder)
        }
    }

    private static func daemon() throws(DiscoveryError) -> String {
        var library = MultipeerAvahiClient()
        guard unsafe multipeer_avahi_load_client(&library) != 0 else { throw .noLibrary("libavahi-client3") }
        // It never starts, so that everything is called in this one thread.
        guard let loop = AvahiLoop() else { throw .system("no thread") }
        var error: Int32 = 0
        // SAFETY: the client is used and freed here, while the loop lives. It needs no callback to be asked for its version.
        let made = unsafe library.avahi_client_new(loop.api, AvahiClientFlags(0), nil, nil, &error)
        guard let client = unsafe made else { throw DiscoveryError(avahi: error) }
        defer {
            unsafe library.avahi_client_free(client)
            withExtendedLifetime(loop) {}
        }
        // SAFETY: the text lives as long as the client, and is copied.
        guard let text = unsafe library.avahi_client_get_version_string(client) else {
            throw DiscoveryError(avahi: unsafe library.avahi_client_errno(client))
        }
        return unsafe AvahiText.text(text)
    }
}
