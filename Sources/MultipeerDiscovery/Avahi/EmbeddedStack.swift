internal import CAvahi

/// An mDNS responder inside this process, by libavahi-core. Used in the loop's thread.
///
/// It publishes no records of the host by itself: two responders of one host would fight over its reverse address records.
/// Publications bring names and addresses of their own.
@safe final class EmbeddedStack: AvahiStack {
    private let library: MultipeerAvahiCore
    private var server: OpaquePointer?
    private weak var user: (any AvahiStackUser)?
    private(set) var isRunning = false
    let publishesHosts = true
    /// As of libavahi-core 0.8.
    let reversesText = true

    /// - Parameter interfaces: Names of the interfaces that are used; nil for all.
    /// - Throws: ``DiscoveryError``.
    init(_ loop: AvahiLoop, hostName: String, interfaces: [String]?, for user: any AvahiStackUser)
        throws(DiscoveryError)
    {
        var library = MultipeerAvahiCore()
        guard unsafe multipeer_avahi_load_core(&library) != 0 else { throw .noLibrary("libavahi-core7") }
        unsafe multipeer_avahi_silence(&library)
        self.library = library
        self.user = user
        var configuration = unsafe AvahiServerConfig()
        _ = unsafe library.avahi_server_config_init(&configuration)
        defer { unsafe library.avahi_server_config_free(&configuration) }
        unsafe configuration.host_name = unsafe avahi_strdup(hostName)
        unsafe configuration.publish_hinfo = 0
        unsafe configuration.publish_addresses = 0
        unsafe configuration.publish_workstation = 0
        unsafe configuration.publish_domain = 0
        unsafe configuration.enable_wide_area = 0
        for name in interfaces ?? [] {
            unsafe configuration.allow_interfaces = unsafe avahi_string_list_add(configuration.allow_interfaces, name)
        }
        var error: Int32 = 0
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe server = unsafe library.avahi_server_new(loop.api, &configuration, Self.serverCallback, context, &error)
        guard unsafe server != nil else { throw DiscoveryError(avahi: error) }
    }

    /// Ends the responder, which says goodbye, and frees all that was made by it.
    func end() {
        if let server = unsafe server { unsafe library.avahi_server_free(server) }
        unsafe server = nil
        isRunning = false
    }

    var lastError: Int32 { unsafe server.map { unsafe library.avahi_server_errno($0) } ?? Int32(AVAHI_ERR_BAD_STATE) }

    private static let serverCallback: AvahiServerCallback = { server, state, context in
        guard let context = unsafe context else { return }
        // SAFETY: the stack frees its server before it goes.
        let stack = unsafe Unmanaged<EmbeddedStack>.fromOpaque(context).takeUnretainedValue()
        unsafe stack.told(state, server)
    }

    private func told(_ state: AvahiServerState, _ server: OpaquePointer?) {
        unsafe self.server = unsafe server
        switch state {
        case AVAHI_SERVER_RUNNING:
            isRunning = true
            user?.stackRuns()
        case AVAHI_SERVER_FAILURE:
            isRunning = false
            user?.stackFailed(DiscoveryError(avahi: lastError))
        default: isRunning = false
        }
    }

    // MARK: Browsing

    func makeBrowser(of type: String, at interface: Int32, for user: AvahiBrowse) -> OpaquePointer? {
        guard let server = unsafe server else { return nil }
        return unsafe library.avahi_s_service_browser_new(
            server, interface, Int32(AVAHI_PROTO_UNSPEC), type, nil, AvahiLookupFlags(0), AvahiBrowse.browserCallback,
            user.context)
    }

    func freeBrowser(_ browser: OpaquePointer) { unsafe library.avahi_s_service_browser_free(browser) }

    func makeResolver(
        of name: String, _ type: String, _ domain: String, at interface: Int32, _ family: Int32, for user: AvahiBrowse
    ) -> OpaquePointer? {
        guard let server = unsafe server else { return nil }
        return unsafe library.avahi_s_service_resolver_new(
            server, interface, family, name, type, domain, family, AvahiLookupFlags(0), AvahiBrowse.resolverCallback,
            user.context)
    }

    func freeResolver(_ resolver: OpaquePointer) { unsafe library.avahi_s_service_resolver_free(resolver) }

    // MARK: Publishing

    private static let groupCallback: AvahiSEntryGroupCallback = { _, _, state, context in
        unsafe AvahiPublication.from(context)?.groupTold(state)
    }

    func makeGroup(for user: AvahiPublication) -> OpaquePointer? {
        guard let server = unsafe server else { return nil }
        return unsafe library.avahi_s_entry_group_new(server, Self.groupCallback, user.context)
    }

    func resetGroup(_ group: OpaquePointer) { unsafe library.avahi_s_entry_group_reset(group) }

    func freeGroup(_ group: OpaquePointer) { unsafe library.avahi_s_entry_group_free(group) }

    func addService(_ service: AvahiService, at interface: Int32, to group: OpaquePointer) -> Int32 {
        guard let server = unsafe server else { return Int32(AVAHI_ERR_BAD_STATE) }
        return unsafe service.withText { text in
            unsafe library.avahi_server_add_service_strlst(
                server, group, interface, Int32(AVAHI_PROTO_UNSPEC), AvahiPublishFlags(0), service.name, service.type,
                nil, service.host, service.port, text)
        }
    }

    func updateText(of service: AvahiService, at interface: Int32, in group: OpaquePointer) -> Int32 {
        guard let server = unsafe server else { return Int32(AVAHI_ERR_BAD_STATE) }
        return unsafe service.withText { text in
            unsafe library.avahi_server_update_service_txt_strlst(
                server, group, interface, Int32(AVAHI_PROTO_UNSPEC), AvahiPublishFlags(0), service.name, service.type,
                nil, text)
        }
    }

    func addAddress(
        _ address: ServiceAddress, of host: String, at interface: Int32, to group: OpaquePointer
    ) -> Int32 {
        guard let server = unsafe server else { return Int32(AVAHI_ERR_BAD_STATE) }
        return unsafe AvahiText.withAddress(address) { address in
            var address = unsafe address.pointee
            return unsafe library.avahi_server_add_address(
                server, group, interface, Int32(AVAHI_PROTO_UNSPEC), AVAHI_PUBLISH_NO_REVERSE, host, &address)
        }
    }

    func commit(_ group: OpaquePointer) -> Int32 { unsafe library.avahi_s_entry_group_commit(group) }
}
