internal import MultipeerCrypto
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerTesting

/// The peer of a script, as rules know it.
extension Script: LinkSender {
    var scripted: ScriptedPeer { player }
    var displayName: [UInt8] { peer.name }
    var features: [UInt16] { setting.peersFeatures }
    var nonce: [UInt8] { peer.nonce }
    var sessionNonce: [UInt8] { samples.bytes32("session of many") }
    var otherHash: [UInt8] { samples.bytes32("another link") }
    func receiversMaximum() -> UInt64 { UInt64(setting.maximumMessage) }
    func somebody(_ name: String) throws -> any IdentitySigner {
        try samples.crypto.identity(seed: samples.bytes32(name))
    }
}

extension ScriptWriter {
    /// Plays rules, with the role before each comment unless said otherwise.
    func play(_ rules: [LinkRule], _ setting: ScriptSetting, namesRole: Bool = true, features: [String] = []) throws {
        for rule in rules where rule.vectors.contains(setting.role.stream) {
            try add(
                setting, (namesRole ? "\(setting.role.name): " : "") + rule.comment, rule.requirements,
                flags: [rule.flag], section: rule.section, features: features, end: .fails(rule.code.registeredName)
            ) { script in
                try script.reach(rule.place)
                try script.send(try rule.frames(script).flatMap { $0 }).hear().end()
            }
        }
    }
}
