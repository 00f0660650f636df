import MultipeerCrypto

/// The associations of a node that can continue over another link (SPEC §13.9). Its links look for them here.
///
/// A class, because all links of a node share it.
final class AssociationBook {
    private var associations: [[UInt8]: ResumableAssociation] = [:]
    /// Whether one has moved to another link since the node looked: its other links are to be closed (R13.9-4).
    var hasMoves = false

    /// The association of that name with that peer, if it has not ended.
    func association(_ name: [UInt8], with peer: IdentityKey) -> ResumableAssociation? {
        guard let known = associations[name], known.peer == peer else { return nil }
        return known
    }

    func add(_ association: ResumableAssociation) { associations[association.name] = association }

    func remove(_ association: ResumableAssociation) {
        if associations[association.name] === association { associations[association.name] = nil }
    }
}
