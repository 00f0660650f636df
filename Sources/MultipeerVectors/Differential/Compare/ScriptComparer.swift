/// Plays one script on two links, and compares them after every step.
struct ScriptComparer {
    let own: any VectorSubject
    let other: any VectorSubject
    let crypto: SwiftCrypto

    func compare(_ model: ScriptModel) -> FuzzOutcome {
        guard let suite = model.suite else { return .skipped }
        let key = model.params["sendKey"]?.decodedBytes
        let reader = SendsReader(crypto: crypto, suite: suite, key: key)
        var links = LinkPair(
            own: LinkSide(subject: own, isOwn: true, reader: reader),
            other: LinkSide(subject: other, isOwn: false, reader: reader))
        do throws(LinkSide.Fault) {
            guard try links.begin(model.params) else { return .skipped }
            return try links.play(model.steps(crypto: crypto) + Self.ending)
        } catch {
            return links.outcome(of: error)
        }
    }

    /// Whatever the script did: afterwards the stream ends and all deadlines pass, so that both links end.
    private static let ending: [JSONValue] = [
        ["actor": "peer", "end": true], ["actor": "clock", "advance": 700_000],
    ]
}
