internal import CAvahi
internal import MultipeerCrypto

/// The user of a stack, which hears of its state. Called in the loop's thread.
protocol AvahiStackUser: AnyObject {
    /// Services can be registered from now on.
    func stackRuns()
    /// Nothing can be registered for now, and what is registered is withdrawn.
    func stackPauses()
    /// Everything that was made by the stack is gone.
    func stackFailed(_ error: DiscoveryError)
}

/// A stack that somebody ends.
protocol OwnedStack: AvahiStack {
    func end()
}

extension DaemonStack: OwnedStack {}
extension EmbeddedStack: OwnedStack {}

/// What is advertised and looked for by one stack.
///
/// `@unchecked Sendable`: everything in it is used in the loop's thread.
final class AvahiCore: AvahiStackUser, @unchecked Sendable {
    /// The interfaces, or `AVAHI_IF_UNSPEC`.
    private let interfaces: [Int32]
    private var stack: (any OwnedStack)?
    private weak var loop: AvahiLoop?
    private var browses: [AvahiBrowse] = []
    private var publications: [AvahiPublication] = []

    init(at indexes: [UInt32]?) {
        interfaces = indexes.map { $0.map { Int32(clamping: $0) } } ?? [Int32(AVAHI_IF_UNSPEC)]
    }

    func begin(_ stack: any OwnedStack, in loop: AvahiLoop) {
        self.stack = stack
        self.loop = loop
        if stack.isRunning { stackRuns() }
    }

    func end() {
        for publication in publications { publication.end() }
        for browse in browses { browse.end() }
        (publications, browses) = ([], [])
        stack?.end()
        stack = nil
    }

    var usesDaemon: Bool { stack.map { !$0.publishesHosts } ?? false }

    /// A name for this host that says nothing about it.
    func freshHostLabel() -> String {
        "multipeer-" + String(UInt64.random(in: 0...UInt64.max), radix: 16)
    }

    // MARK: Requests

    func publish(_ advertisement: Advertisement, as type: ServiceType, port: UInt16) -> AvahiPublication {
        var host: String?
        if advertisement.isPrivate {
            host = "\(advertisement.tag.bytes).local"
        } else if stack?.publishesHosts == true {
            host = freshHostLabel() + ".local"
        }
        let publication = AvahiPublication(
            advertisement, as: type, port: port, at: interfaces, host: host, in: loop)
        publications.append(publication)
        if let stack { publication.begin(by: stack) }
        return publication
    }

    func browse(
        for type: ServiceType, _ onEvent: @escaping @Sendable (ServiceEvent) -> Void
    ) throws(DiscoveryError) -> AvahiBrowse {
        let browse = AvahiBrowse(type, at: interfaces, onEvent)
        browses.append(browse)
        guard let stack else { throw .noDaemon }
        guard browse.begin(by: stack) else {
            let error = DiscoveryError(avahi: stack.lastError)
            end(browse)
            throw error
        }
        return browse
    }

    func end(_ publication: AvahiPublication) {
        publication.end()
        publications.removeAll { $0 === publication }
    }

    func end(_ browse: AvahiBrowse) {
        browse.end()
        browses.removeAll { $0 === browse }
    }

    func interfacesMayHaveChanged() {
        for publication in publications { publication.interfacesMayHaveChanged() }
    }

    // MARK: The stack

    func stackRuns() {
        guard let stack else { return }
        for publication in publications { publication.begin(by: stack) }
        for browse in browses where !browse.isUnderWay {
            if !browse.begin(by: stack) { browse.fail(DiscoveryError(avahi: stack.lastError)) }
        }
    }

    func stackPauses() {
        for publication in publications { publication.pause() }
    }

    func stackFailed(_ error: DiscoveryError) {
        for publication in publications { publication.forget() }
        for browse in browses { browse.fail(error) }
    }
}
