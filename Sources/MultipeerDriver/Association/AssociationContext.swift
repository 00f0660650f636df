import MultipeerCore
import MultipeerCrypto

/// What a driver and its app hold of an association. It outlives the link: the driver of the link that continues the association takes it over
/// (SPEC §13.9).
final class AssociationContext {
    /// The events of the association.
    let events: EventQueue
    /// The queue of messages to the peer.
    let sends: SendQueue
    /// The queue of messages that go as datagrams.
    let datagrams = DatagramQueue()
    /// Which of the messages of ``sends`` has which tag of the association.
    var numbers = MessageNumbers()
    /// The number of messages that were accepted and that no link took.
    var lostMessages = 0

    /// The files that the local peer sends from sources, and those of them that want bytes, in the order in which they asked.
    var sources: [FileID: SourcedFile] = [:]
    var wantingSources: [FileID] = []
    /// The callers that wait to write to a stream.
    var writers: [StreamID: [LinkDriver.WriteCompletion]] = [:]
    /// The offers of the peer of which the app has not heard.
    var unseenOffers: Set<FileID> = []

    /// What the peer may hold beyond what it has by right, and what the association has of it.
    var memory: LinkMemory
    /// Wakes the adapter of the link that carries the association.
    let wake = AdapterWake()

    init(events: EventQueue, options: DriverOptions) {
        self.events = events
        sends = SendQueue(watermarks: options.sends)
        memory = LinkMemory(pools: options.memoryPools)
        let wake = wake
        sends.setWake { wake() }
        datagrams.setWake { wake() }
        events.setResume { wake() }
    }

    /// No link carries the association, and another one may soon.
    func suspend() {
        wake.set(nil)
        sends.suspend(true)
        datagrams.note(nil)
    }

    /// Another link carries the association from now on: what was asked for on the one before is asked for again.
    func resume() {
        sends.suspend(false)
        wantingSources = []
        for file in sources.keys {
            sources[file]?.need = nil
            sources[file]?.asksSince = nil
        }
    }

    /// The association has ended.
    func close() {
        memory.releaseAll()
        datagrams.note(nil)
        refuseMessages()
        sends.endResults()
        let waiting = writers.values.joined()
        writers = [:]
        for completion in waiting { completion(.wrongStage(.closed)) }
    }

    /// The adapter of its last link is gone as well. The app still gets the events that it has not taken.
    func finish() {
        close()
        sends.setWake(nil)
        datagrams.setWake(nil)
        for entry in sources.values { entry.source.stop() }
        (sources, wantingSources) = ([:], [])
        events.finish()
    }

    /// Messages are not taken any more.
    func refuseMessages() { lostMessages += sends.stop().count }
}
