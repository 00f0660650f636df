internal import CAvahi

/// The running Avahi daemon, by libavahi-client. Used in the loop's thread.
@safe final class DaemonStack: AvahiStack {
    private let library: MultipeerAvahiClient
    private let api: UnsafePointer<AvahiPoll>
    private var client: OpaquePointer?
    private weak var user: (any AvahiStackUser)?
    private(set) var isRunning = false
    let publishesHosts = false
    let reversesText = false

    /// - Throws: ``DiscoveryError/noDaemon`` if none runs.
    init(_ loop: AvahiLoop, for user: any AvahiStackUser) throws(DiscoveryError) {
        var library = MultipeerAvahiClient()
        guard unsafe multipeer_avahi_load_client(&library) != 0 else { throw .noLibrary("libavahi-client3") }
        self.library = library
        unsafe api = unsafe loop.api
        self.user = user
        let error = connect(AvahiClientFlags(0))
        guard error == 0 else { throw DiscoveryError(avahi: error) }
    }

    /// Ends the connection, and frees all that was made by it.
    func end() {
        if let client = unsafe client { unsafe library.avahi_client_free(client) }
        unsafe client = nil
        isRunning = false
    }

    private func connect(_ flags: AvahiClientFlags) -> Int32 {
        var error: Int32 = 0
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        // The callback has stored the client already.
        let made = unsafe library.avahi_client_new(api, flags, Self.clientCallback, context, &error)
        if unsafe made == nil { unsafe client = nil }
        return unsafe made == nil ? error : 0
    }

    var lastError: Int32 {
        unsafe client.map { unsafe library.avahi_client_errno($0) } ?? Int32(AVAHI_ERR_DISCONNECTED)
    }

    // MARK: The connection

    private static let clientCallback: AvahiClientCallback = { client, state, context in
        guard let context = unsafe context else { return }
        // SAFETY: the stack frees its client before it goes.
        let stack = unsafe Unmanaged<DaemonStack>.fromOpaque(context).takeUnretainedValue()
        unsafe stack.told(state, client)
    }

    private func told(_ state: AvahiClientState, _ client: OpaquePointer?) {
        unsafe self.client = unsafe client
        switch state {
        case AVAHI_CLIENT_S_RUNNING:
            isRunning = true
            user?.stackRuns()
        case AVAHI_CLIENT_S_REGISTERING, AVAHI_CLIENT_S_COLLISION:
            isRunning = false
            user?.stackPauses()
        case AVAHI_CLIENT_FAILURE: failed()
        default: break  // It waits for the daemon.
        }
    }

    /// The daemon has ended. It is waited for.
    private func failed() {
        user?.stackFailed(.noDaemon)
        end()
        let error = connect(AVAHI_CLIENT_NO_FAIL)
        if error != 0 { user?.stackFailed(DiscoveryError(avahi: error)) }
    }

    // MARK: Browsing

    func makeBrowser(of type: String, at interface: Int32, for user: AvahiBrowse) -> OpaquePointer? {
        guard let client = unsafe client else { return nil }
        return unsafe library.avahi_service_browser_new(
            client, interface, Int32(AVAHI_PROTO_UNSPEC), type, nil, AvahiLookupFlags(0), AvahiBrowse.browserCallback,
            user.context)
    }

    func freeBrowser(_ browser: OpaquePointer) { _ = unsafe library.avahi_service_browser_free(browser) }

    func makeResolver(
        of name: String, _ type: String, _ domain: String, at interface: Int32, _ family: Int32, for user: AvahiBrowse
    ) -> OpaquePointer? {
        guard let client = unsafe client else { return nil }
        return unsafe library.avahi_service_resolver_new(
            client, interface, family, name, type, domain, family, AvahiLookupFlags(0), AvahiBrowse.resolverCallback,
            user.context)
    }

    func freeResolver(_ resolver: OpaquePointer) { _ = unsafe library.avahi_service_resolver_free(resolver) }

    // MARK: Publishing

    private static let groupCallback: AvahiEntryGroupCallback = { _, state, context in
        unsafe AvahiPublication.from(context)?.groupTold(state)
    }

    func makeGroup(for user: AvahiPublication) -> OpaquePointer? {
        guard let client = unsafe client else { return nil }
        return unsafe library.avahi_entry_group_new(client, Self.groupCallback, user.context)
    }

    func resetGroup(_ group: OpaquePointer) { _ = unsafe library.avahi_entry_group_reset(group) }

    func freeGroup(_ group: OpaquePointer) { _ = unsafe library.avahi_entry_group_free(group) }

    func addService(_ service: AvahiService, at interface: Int32, to group: OpaquePointer) -> Int32 {
        unsafe service.withText { text in
            unsafe library.avahi_entry_group_add_service_strlst(
                group, interface, Int32(AVAHI_PROTO_UNSPEC), AvahiPublishFlags(0), service.name, service.type, nil,
                service.host, service.port, text)
        }
    }

    func updateText(of service: AvahiService, at interface: Int32, in group: OpaquePointer) -> Int32 {
        unsafe service.withText { text in
            unsafe library.avahi_entry_group_update_service_txt_strlst(
                group, interface, Int32(AVAHI_PROTO_UNSPEC), AvahiPublishFlags(0), service.name, service.type, nil, text
            )
        }
    }

    func addAddress(
        _ address: ServiceAddress, of host: String, at interface: Int32, to group: OpaquePointer
    ) -> Int32 {
        unsafe AvahiText.withAddress(address) { address in
            unsafe library.avahi_entry_group_add_address(
                group, interface, Int32(AVAHI_PROTO_UNSPEC), AVAHI_PUBLISH_NO_REVERSE, host, address)
        }
    }

    func commit(_ group: OpaquePointer) -> Int32 { unsafe library.avahi_entry_group_commit(group) }
}
