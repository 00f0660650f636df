internal import CAvahi

/// The callbacks of both libraries have the same parameters.
typealias BrowserCallback = AvahiServiceBrowserCallback
typealias ResolverCallback = AvahiServiceResolverCallback

/// What the daemon's library and the one for embedding both do. All of it is called in the loop's thread.
///
/// Objects are made for a *user*, which their callbacks report to, and which outlives them.
protocol AvahiStack: AnyObject {
    /// Whether services can be registered now.
    var isRunning: Bool { get }
    /// Whether hosts have to be published here, with the addresses of interfaces: nobody else does.
    var publishesHosts: Bool { get }
    /// Whether found strings of TXT come from the last to the first.
    var reversesText: Bool { get }
    /// The last error.
    var lastError: Int32 { get }

    func makeBrowser(of type: String, at interface: Int32, for user: AvahiBrowse) -> OpaquePointer?
    func freeBrowser(_ browser: OpaquePointer)
    func makeResolver(
        of name: String, _ type: String, _ domain: String, at interface: Int32, _ family: Int32, for user: AvahiBrowse
    ) -> OpaquePointer?
    func freeResolver(_ resolver: OpaquePointer)

    func makeGroup(for user: AvahiPublication) -> OpaquePointer?
    func resetGroup(_ group: OpaquePointer)
    func freeGroup(_ group: OpaquePointer)
    /// The results of the following are error numbers, or zero.
    func addService(_ service: AvahiService, at interface: Int32, to group: OpaquePointer) -> Int32
    func updateText(of service: AvahiService, at interface: Int32, in group: OpaquePointer) -> Int32
    func addAddress(
        _ address: ServiceAddress, of host: String, at interface: Int32, to group: OpaquePointer
    ) -> Int32
    func commit(_ group: OpaquePointer) -> Int32
}

/// A service as Avahi registers it.
struct AvahiService {
    let name: String
    let type: String
    /// The host's full name; nil for the name that the daemon has given to this host.
    let host: String?
    let port: UInt16
    let text: [[UInt8]]

    /// The strings of TXT as Avahi has them, for as long as `body` runs.
    func withText<Result>(_ body: (OpaquePointerToText) -> Result) -> Result {
        var list: OpaquePointerToText = nil
        // Each one is put before the earlier ones, and the last one is the first on the wire.
        for string in text {
            // SAFETY: Avahi copies the bytes.
            unsafe list = string.withUnsafeBufferPointer {
                unsafe avahi_string_list_add_arbitrary(list, $0.baseAddress, $0.count)
            }
        }
        defer { unsafe avahi_string_list_free(list) }
        return unsafe body(list)
    }
}

typealias OpaquePointerToText = UnsafeMutablePointer<AvahiStringList>?

/// Copies what Avahi shows.
enum AvahiText {
    static func strings(_ list: OpaquePointerToText) -> [[UInt8]] {
        var strings: [[UInt8]] = []
        var next = unsafe list
        while let item = unsafe next {
            // SAFETY: the functions tell address and length of an item of a list that lives as long as the callback.
            let count = unsafe avahi_string_list_get_size(item)
            unsafe strings.append(Array(UnsafeBufferPointer(start: avahi_string_list_get_text(item), count: count)))
            unsafe next = unsafe avahi_string_list_get_next(item)
        }
        return strings
    }

    /// A C string as text; broken UTF-8 becomes replacement characters.
    static func text(_ pointer: UnsafePointer<CChar>?) -> String {
        unsafe pointer.map { unsafe String(cString: $0) } ?? ""
    }

    static func address(_ pointer: UnsafePointer<AvahiAddress>?, at interface: Int32) -> ServiceAddress? {
        guard let pointer = unsafe pointer, let index = UInt32(exactly: interface) else { return nil }
        let count = unsafe pointer.pointee.proto == AVAHI_PROTO_INET ? 4 : 16
        // SAFETY: the union holds as many bytes as its family has.
        let bytes = unsafe Array(UnsafeBufferPointer(start: multipeer_avahi_address_bytes(pointer), count: count))
        return ServiceAddress(bytes, interface: index)
    }

    static func withAddress<Result>(
        _ address: ServiceAddress, _ body: (UnsafePointer<AvahiAddress>) -> Result
    ) -> Result {
        var native = AvahiAddress()
        native.proto = Int32(address.isIPv4 ? AVAHI_PROTO_INET : AVAHI_PROTO_INET6)
        unsafe withUnsafeMutableBytes(of: &native.data) { unsafe $0.copyBytes(from: address.bytes) }
        return unsafe withUnsafePointer(to: native) { unsafe body($0) }
    }
}

extension DiscoveryError {
    /// The error that Avahi numbers so.
    init(avahi number: Int32) {
        switch number {
        case Int32(AVAHI_ERR_NO_DAEMON), Int32(AVAHI_ERR_DISCONNECTED), Int32(AVAHI_ERR_DBUS_ERROR): self = .noDaemon
        case Int32(AVAHI_ERR_NO_NETWORK): self = .noNetwork
        case Int32(AVAHI_ERR_NOT_PERMITTED), Int32(AVAHI_ERR_ACCESS_DENIED): self = .notPermitted
        case Int32(AVAHI_ERR_COLLISION): self = .nameTaken
        default: self = .system(unsafe AvahiText.text(avahi_strerror(number)))
        }
    }
}
