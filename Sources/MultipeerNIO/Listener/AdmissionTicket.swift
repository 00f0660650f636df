import MultipeerCore

/// An admitted connection's place in the counts, which it gives back by what becomes of its link.
final class AdmissionTicket: LinkObserver {
    private let admission: Admission
    private let ruling: Admission.Ruling
    private let address: AddressKey?
    private var isHalfOpen: Bool
    /// The link, once it is registered.
    var link: ObjectIdentifier?

    init(admission: Admission, ruling: Admission.Ruling, address: AddressKey?) {
        self.admission = admission
        self.ruling = ruling
        self.address = address
        isHalfOpen = ruling == .serve
    }

    func linkIdentified() {
        guard isHalfOpen else { return }
        isHalfOpen = false
        admission.leaveHalfOpen(from: address)
    }

    func linkEnded() {
        linkIdentified()
        admission.leave(ruling)
        if let link { admission.forget(link) }
    }
}
