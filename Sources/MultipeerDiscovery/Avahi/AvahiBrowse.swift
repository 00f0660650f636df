internal import CAvahi
internal import MultipeerCrypto

/// One search for services.
///
/// `@unchecked Sendable`: everything in it is used in the loop's thread.
@safe final class AvahiBrowse: @unchecked Sendable {
    /// How many services are looked at (R23.4-2).
    static let mostServices = 1_024

    @safe private struct Resolver {
        let pointer: OpaquePointer
        /// Grows with each that begins.
        let order: Int
        var isFound = false
        /// Where the service was last.
        var address: ServiceAddress?
    }

    private let type: String
    /// The interfaces, or `AVAHI_IF_UNSPEC`.
    private let interfaces: [Int32]
    private let onEvent: @Sendable (ServiceEvent) -> Void
    private var browsers: [OpaquePointer] = unsafe []
    private var resolvers: [ServiceID: Resolver] = [:]
    private var lastOrder = 0
    private var unsettled = 0
    private weak var stack: (any AvahiStack)?

    init(_ type: ServiceType, at interfaces: [Int32], _ onEvent: @escaping @Sendable (ServiceEvent) -> Void) {
        self.type = type.dnsName
        self.interfaces = interfaces
        self.onEvent = onEvent
    }

    /// Whether Avahi looks.
    var isUnderWay: Bool { stack != nil }

    /// Begins. Returns false if Avahi refuses.
    func begin(by stack: any AvahiStack) -> Bool {
        self.stack = stack
        unsettled = interfaces.count
        for interface in interfaces {
            guard let browser = unsafe stack.makeBrowser(of: type, at: interface, for: self) else { return false }
            unsafe browsers.append(browser)
        }
        return true
    }

    /// Ends, and gives back what it has of Avahi.
    func end() {
        guard let stack else { return }
        for resolver in resolvers.values { unsafe stack.freeResolver(resolver.pointer) }
        while let browser = unsafe browsers.popLast() { unsafe stack.freeBrowser(browser) }
        forget()
    }

    /// Avahi has freed everything with the connection to the daemon.
    func fail(_ error: DiscoveryError) {
        forget()
        onEvent(.failed(error))
    }

    private func forget() {
        stack = nil
        unsafe browsers = []
        resolvers = [:]
    }

    // MARK: Callbacks

    fileprivate func browserTold(
        _ event: AvahiBrowserEvent, _ id: ServiceID, _ domain: String, _ interface: Int32, _ family: Int32
    ) {
        switch event {
        case AVAHI_BROWSER_NEW: appeared(id, domain, interface, family)
        case AVAHI_BROWSER_REMOVE: vanished(id)
        case AVAHI_BROWSER_ALL_FOR_NOW:
            unsettled -= 1
            if unsettled == 0 { onEvent(.settled) }
        case AVAHI_BROWSER_FAILURE: onEvent(.failed(DiscoveryError(avahi: stack?.lastError ?? 0)))
        default: break  // What its cache knew.
        }
    }

    private func appeared(_ id: ServiceID, _ domain: String, _ interface: Int32, _ family: Int32) {
        guard resolvers[id] == nil, let stack else { return }
        if resolvers.count >= Self.mostServices { makeRoom() }
        lastOrder += 1
        let resolver = unsafe stack.makeResolver(of: id.instanceName, type, domain, at: interface, family, for: self)
        if let resolver = unsafe resolver {
            resolvers[id] = unsafe Resolver(pointer: resolver, order: lastOrder)
        }
    }

    /// One of too many services is looked at no more. Where the newcomer listens is not known yet; those that have not said it either
    /// had their time.
    private func makeRoom() {
        let holders = resolvers.map { Crowding.Holder(id: $0.key, source: $0.value.address, order: $0.value.order) }
        let silent = holders.filter { $0.source == nil }
        let victim =
            silent.count > holders.count / 2
            ? silent.min { $0.order < $1.order }?.id : Crowding.victim(among: holders, for: nil)
        vanished(victim ?? holders.min { $0.order < $1.order }?.id)
    }

    private func vanished(_ id: ServiceID?) {
        guard let id, let resolver = resolvers.removeValue(forKey: id) else { return }
        unsafe stack?.freeResolver(resolver.pointer)
        if resolver.isFound { onEvent(.lost(id)) }
    }

    fileprivate func resolverTold(_ id: ServiceID, _ found: FoundService?) {
        guard resolvers[id] != nil, let stack else { return }
        if let found {
            resolvers[id]?.isFound = true
            resolvers[id]?.address = found.address
            let text = stack.reversesText ? found.text.reversed() : found.text
            onEvent(.found(FoundService(id: id, address: found.address, port: found.port, text: text)))
        } else if resolvers[id]?.isFound == true {
            // It does not answer any more, though nobody has withdrawn it.
            resolvers[id]?.isFound = false
            onEvent(.lost(id))
        }
    }

    // MARK: C

    /// What callbacks report to.
    var context: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

    private static func from(_ context: UnsafeMutableRawPointer?) -> AvahiBrowse? {
        // SAFETY: a browse ends its browsers and resolvers before it goes, so it is there.
        unsafe context.map { unsafe Unmanaged<AvahiBrowse>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func id(_ name: UnsafePointer<CChar>?, _ interface: Int32, _ family: Int32) -> ServiceID {
        ServiceID(
            instanceName: unsafe AvahiText.text(name), interface: UInt32(clamping: interface),
            isIPv4: family == AVAHI_PROTO_INET)
    }

    static let browserCallback: BrowserCallback = { _, interface, family, event, name, _, domain, _, context in
        unsafe AvahiBrowse.from(context)?.browserTold(
            event, AvahiBrowse.id(name, interface, family), AvahiText.text(domain), interface, family)
    }

    static let resolverCallback: ResolverCallback = {
        _, interface, family, event, name, _, _, _, address, port, text, _, context in
        let id = unsafe AvahiBrowse.id(name, interface, family)
        var found: FoundService?
        if event == AVAHI_RESOLVER_FOUND, let address = unsafe AvahiText.address(address, at: interface) {
            found = FoundService(id: id, address: address, port: port, text: unsafe AvahiText.strings(text))
        }
        unsafe AvahiBrowse.from(context)?.resolverTold(id, found)
    }
}
