internal import MultipeerCore
internal import MultipeerWire

/// `session/`: whole links, played against an implementation in one role (SPEC §17).
struct ScriptFiles {
    let subject: SwiftSubject
    let material: Material
    var samples: Samples { Samples(crypto: subject.crypto) }

    static let roles: [LinkRole] = [.initiator, .responder]

    func writer(_ name: String, section: String) -> ScriptWriter {
        ScriptWriter(name, section: section, samples: samples, material: material, faults: subject.faults)
    }

    func all() throws -> [(name: String, file: VectorFile)] {
        var files = [
            try NegotiationScripts(files: self).write().file(), try ProofScripts(files: self).write().file(),
            try IdentificationScripts(files: self).write().file(), try DeadlineScripts(files: self).write().file(),
            try InvitationScripts(files: self).write().file(), try PolicyScripts(files: self).write().file(),
            try CrossingScripts(files: self).write().file(), try CertificateScripts(files: self).write().file(),
            try RecordScripts(files: self).write().file(), try MessageScripts(files: self).write().file(),
            try FileScripts(files: self).incoming().file(), try FileScripts(files: self).outgoing().file(),
            try RekeyScripts(files: self).write().file(), try ClosingScripts(files: self).write().file(),
            try DrainingScripts(files: self).write().file(),
            try LimitScripts(files: self).write().file(), try GuestScripts(files: self).write().file(),
            try ResumeDeclinedScripts(files: self).write().file(),
            try CodeScripts(files: self, isTypist: true).write().file(),
            try CodeScripts(files: self, isTypist: false).write().file(),
            try StringScripts(files: self).write().file(), try VerificationStateScripts(files: self).write().file(),
        ]
        for role in Self.roles {
            for isLate in [false, true] {
                files.append(try UnexpectedScripts(files: self, role: role, isLate: isLate).write().file())
            }
        }
        files.append(try HybridScripts(files: self).write().file())
        files.append(try DatagramLinkScripts(files: self).write().file())
        files.append(try SessionFile(files: self).write().file())
        files.append(try SessionFile(files: self).writeVerified().file())
        files.append(try SessionFile(files: self).writeHybrid().file())
        return files
    }
}
