import MultipeerCore

/// A served link's place in the counts.
final class ServedTicket: LinkObserver {
    private let admission: Admission
    private let address: AddressKey?
    private var isHalfOpen = true
    var link: ObjectIdentifier?

    init(admission: Admission, address: AddressKey?) {
        self.admission = admission
        self.address = address
    }

    func linkIdentified() {
        guard isHalfOpen else { return }
        isHalfOpen = false
        admission.leaveHalfOpen(from: address)
    }

    func linkEnded() {
        linkIdentified()
        admission.leave()
        if let link { admission.forget(link) }
    }
}

/// A refused link's place in the counts.
final class RefusedTicket: LinkObserver {
    private let admission: Admission

    init(admission: Admission) {
        self.admission = admission
    }

    func linkIdentified() {}

    func linkEnded() { admission.leaveRefusal() }
}
