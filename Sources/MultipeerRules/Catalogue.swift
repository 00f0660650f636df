import MultipeerWire

/// All rules.
package enum Catalogue {
    package static let link: [LinkRule] = [
        IdentificationRules.peerInfo, IdentificationRules.inOrder,
        Place.identifying.map(IdentificationRules.evenFrame(at:)),
        UnexpectedRules.rules(at: UnexpectedRules.early + UnexpectedRules.late),
        InvitationRules.invite, InvitationRules.chainFields, InvitationRules.chains(kind: 0),
        InvitationRules.chains(kind: 2), InvitationRules.kind2, InvitationRules.accept, InvitationRules.decline,
        ResumeRules.faults,
        LinkEndRules.badReady(at: .judging), LinkEndRules.badReady(at: .selfReady), LinkEndRules.earlyReady,
        LinkEndRules.certificatesTwice, LinkEndRules.close,
        PayloadRules.messages, PayloadRules.offers, PayloadRules.transfers, PayloadRules.beforeAccept,
    ].flatMap { $0 }

    package static let association: [AssociationRule] = [
        NumberRules.beginnings, NumberRules.unused, NumberRules.otherKind,
        CreditRules.openings, CreditRules.offers,
        [CreditKind.messages, .openings, .offers].flatMap(CreditRules.notRaised), CreditRules.malformed,
        CreditRules.pong,
        StreamRules.sizes, StreamRules.places, StreamRules.behindTheEnd, StreamRules.names,
        StreamRules.wrongNumberOverCredit,
    ].flatMap { $0 }
}
