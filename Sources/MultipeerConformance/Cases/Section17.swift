import MultipeerWire

/// The state machine: frames that a state does not allow.
enum Section17 {
    private static func frames(_ topic: String, _ words: String, _ stage: Play.Stage, _ list: [(String, [UInt8])])
        -> [ConformanceCase]
    {
        list.map { name, frame in
            .poke(
                "17-\(topic)-\(name)", "\(name.uppercased().replacing("-", with: "_")) \(words)",
                "R8.6-2 R10.5-4 R10.5-3",
                at: stage, .unexpectedFrame, forbidding: stage < .certified ? [.ready] : []
            ) { _ in frame }
        }
    }

    static let cases: [ConformanceCase] =
        frames(
            "proved", "before PEER_INFO", .proved,
            [
                ("certificates", Craft.certificates()), ("ready", Craft.ready), ("message", Craft.message([1])),
                ("file-offer", Craft.fileOffer(0, size: 1)), ("cancel", Craft.cancel()),
            ])
        + frames(
            "identified", "before INVITE and ACCEPT", .identified,
            [
                ("certificates", Craft.certificates()), ("ready", Craft.ready), ("message", Craft.message([1])),
                ("message-part", Craft.part([1])), ("file-offer", Craft.fileOffer(0, size: 1)),
                ("file-cancel", Craft.fileCancel(0, ownFile: true)), ("peer-info", Craft.peerInfo()),
            ])
        + frames(
            "agreed", "before CERTIFICATES", .agreed,
            [
                ("decline", Craft.decline(1)), ("peer-info", Craft.peerInfo()),
                ("file-offer", Craft.fileOffer(0, size: 1)),
            ])
        + frames(
            "certified", "after CERTIFICATES", .certified,
            [
                ("invite", Craft.invite()), ("accept", Craft.accept()), ("decline", Craft.decline(1)),
                ("file-data", Craft.fileData(0, offset: 0, [1])),
            ])
        + frames(
            "open", "on an open link", .open,
            [("accept", Craft.accept()), ("decline", Craft.decline(1)), ("certificates", Craft.certificates())])
}
