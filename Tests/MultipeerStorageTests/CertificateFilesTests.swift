import Foundation
import MultipeerCertificates
import MultipeerCrypto
import MultipeerTestSupport
import Testing

@testable import MultipeerStorage

@Suite("Certificate and key files on disk")
struct CertificateFilesTests {
    private func secret(_ text: String) throws -> Secret {
        let bytes = Array(text.utf8)
        var secret = try lockedMemory.makeSecret(count: bytes.count)
        secret.withMutableBytes { span in
            for index in bytes.indices { span[index] = bytes[index] }
        }
        return secret
    }

    @Test("Certificates and keys are written once, mode 0600, and read back")
    func roundTrip() throws {
        let scratch = try Scratch()
        let certificates = [Certificate(der: [1, 2, 3]), Certificate(der: [4, 5])]
        try CertificateFiles.create(certificates, at: scratch / "chain.pem")
        let read = try CertificateFiles.readCertificates(at: scratch / "chain.pem")
        #expect(try PEM.decode(read.span).map(\.bytes) == [[1, 2, 3], [4, 5]])
        let key = try secret("KEY")
        try CertificateFiles.create(privateKeyPEM: key, at: scratch / "key.pem")
        #expect(try scratch.mode("key.pem") == 0o600)
        let loaded = try CertificateFiles.readPrivateKey(at: scratch / "key.pem", secrets: lockedMemory)
        let bytes = loaded.copied()
        #expect(bytes == Array("KEY".utf8))
        let again = storageError { try CertificateFiles.create(privateKeyPEM: key, at: scratch / "key.pem") }
        #expect(again == StorageError(.publish, scratch.path + "/key.pem", .alreadyExists))
        #expect(scratch.names == ["chain.pem", "key.pem"])
    }

    @Test("A key that others may read, or a file over its limit, is refused")
    func refused() throws {
        let scratch = try Scratch()
        let exposed = try scratch.write("key", "KEY", mode: 0o644)
        #expect(
            storageError { _ = try CertificateFiles.readPrivateKey(at: exposed, secrets: lockedMemory) }
                == StorageError(.open, exposed, .readableByOthers(mode: 0o644)))
        let huge = try scratch.write("huge", [UInt8](repeating: 0x20, count: CertificateFiles.maximumLength + 1))
        #expect(
            storageError { _ = try CertificateFiles.readCertificates(at: huge) }?.reason
                == .tooLarge(limit: UInt64(CertificateFiles.maximumLength)))
        #expect(
            storageError { _ = try CertificateFiles.readPrivateKey(at: huge, secrets: lockedMemory) }?.reason
                == .tooLarge(limit: UInt64(CertificateFiles.maximumKeyLength)))
    }

    @Test("A link to a key is followed, and the key's own file must be private")
    func links() throws {
        let scratch = try Scratch()
        _ = try scratch.write("real", "KEY")
        try FileManager.default.createSymbolicLink(atPath: scratch / "link", withDestinationPath: scratch / "real")
        #expect(
            storageError {
                _ = try CertificateFiles.readPrivateKey(at: scratch / "link", secrets: lockedMemory)
            } == nil)
    }
}

@Suite("Atomic files")
struct AtomicFileTests {
    @Test("Readers see the old content or the new, never a part")
    func atomicity() async throws {
        let scratch = try Scratch()
        let path = scratch / "file"
        let contents = (0..<8).map { [UInt8](repeating: UInt8($0), count: 20_000 + $0) }
        let first = contents[0]
        try AtomicFile.write(first.span, to: path, .replacing)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for content in contents {
                group.addTask { for _ in 0..<20 { try AtomicFile.write(content.span, to: path, .replacing) } }
                group.addTask {
                    for _ in 0..<50 {
                        let seen = try scratch.read("file")
                        #expect(contents.contains(seen))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(scratch.names == ["file"])
        #expect(try scratch.mode("file") == 0o600)
    }

    @Test("A full disk is a separate error, on the real device for it")
    func fullDisk() throws {
        let file = try OpenFile.open("/dev/full", O_WRONLY)
        let error = storageError { try file.write([1, 2, 3].span) }
        #expect(error == StorageError(.write, "/dev/full", .noSpace))
    }

    @Test("Private directories are created whole, mode 0700, and a file in the way is an error")
    func directories() throws {
        let scratch = try Scratch()
        try PrivateDirectory.prepare(scratch / "a/b/c")
        try PrivateDirectory.prepare(scratch / "a/b/c")
        #expect(try scratch.mode("a") == 0o700)
        #expect(try scratch.mode("a/b/c") == 0o700)
        _ = try scratch.write("file", "x")
        #expect(storageError { try PrivateDirectory.prepare(scratch / "file") }?.reason == .system(errno: ENOTDIR))
        #expect(storageError { try PrivateDirectory.prepare(scratch / "file/x") }?.reason == .system(errno: ENOTDIR))
    }

    @Test("A file that cannot be moved into place leaves no temporary file")
    func failure() throws {
        let scratch = try Scratch()
        try PrivateDirectory.prepare(scratch / "directory")
        let error = storageError { try AtomicFile.write([1].span, to: scratch / "directory", .replacing) }
        #expect(error?.phase == .publish)
        #expect(error?.reason == .isDirectory)
        #expect(scratch.names == ["directory"])
        #expect(storageError { try AtomicFile.write([1].span, to: scratch / "..", .replacing) }?.reason == .unsafeName)
    }
}
