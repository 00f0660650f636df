internal import Foundation

/// Makes all vectors of `Vectors/v1`: the same bytes every time.
public struct VectorGenerator {
    let subject: SwiftSubject

    let material: Material

    /// Starts the implementation whose answers are recorded.
    public init(material: Material) throws(SubjectFault) {
        subject = try SwiftSubject()
        self.material = material
    }

    /// All files, with their names below `v1`.
    public func files() throws -> [(name: String, file: VectorFile)] {
        var files = try FramingFiles(subject: subject).all()
        files += try NegotiationFiles(subject: subject).all()
        files += try HandshakeFiles(subject: subject).all()
        files += try RecordFiles(subject: subject).all()
        files += try InvitationFiles(subject: subject).all()
        files += try PayloadFiles(subject: subject).all()
        files += try CertificateFiles(subject: subject, material: material).all()
        files += try AdmissionFiles(subject: subject).all()
        files += [try EntryFile(subject: subject).write().file()]
        files += try RosterFiles(subject: subject).all()
        files += [
            try RosterFrames(subject: subject).write().file(), try ManifestFile(subject: subject).write().file(),
        ]
        files += try AssociationFiles(subject: subject).all()
        files += try NodeFiles(subject: subject).all()
        files += try PairingFiles(subject: subject).all()
        files += try DiscoveryFiles(subject: subject).all()
        files += try DatagramFiles(subject: subject).all()
        files += try ScriptFiles(subject: subject, material: material).all()
        try subject.faults.check()
        return files
    }

    /// Writes all files below a folder, and returns their names and numbers of tests.
    public func write(to folder: String) throws -> [(name: String, tests: Int)] {
        let files = try files()
        _ = try VectorSet(files)
        for (name, file) in files {
            let path = URL(fileURLWithPath: folder).appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(JSONWriter.file(file.json).utf8).write(to: path, options: .atomic)
        }
        return files.map { ($0.name, $0.file.tests.count) }
    }
}
