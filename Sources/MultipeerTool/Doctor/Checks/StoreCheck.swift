import Glibc
import Multipeer
import MultipeerCommandLine
import MultipeerCrypto
import MultipeerStorage
import MultipeerTerminal

/// Whether the folder with the identity and the known peers can be used.
struct StoreCheck: Check {
    /// Less free space than this is worth a word.
    private static let scarce: UInt64 = 67_108_864

    let options: StoreOptions

    var name: CheckName { .store }

    func run() async -> CheckResult {
        do throws(CommandFailure) {
            let store = try options.open()
            var result = await Blocking.run { look(at: store) }
            if let issue = await knownPeers(store) { result = CheckResult(name, result.seen, result.issues + [issue]) }
            return result
        } catch {
            return CheckResult(name, "there is no place for it", [.problem(error, why: Self.why)])
        }
    }

    private static let why = "It keeps the local identity, and the keys of known peers."

    private func look(at store: IdentityStore) -> CheckResult {
        let place = SafeText.escape(store.directory)
        guard SystemFile.status(store.directory) != nil else {
            let number = errno
            return number == ENOENT ? missing(store) : unreadable(store, number)
        }
        var issues: [Issue] = []
        var identity = "no identity yet"
        do throws(CommandFailure) {
            let sodium = try Cryptography.start()
            // Rights of the folder and of the identity, and its content.
            if let found = try store.load(sodium: sodium) {
                identity = "the identity of \(SafeText.escape(found.name.description))"
            }
        } catch {
            identity = "an identity that cannot be used"
            issues.append(.problem(error, why: Self.why))
        }
        issues += writing(store.directory) + space(store.directory) + lock(store)
        return CheckResult(name, "\(place): \(identity)", issues)
    }

    /// It may be there, and this user cannot look.
    private func unreadable(_ store: IdentityStore, _ number: Int32) -> CheckResult {
        let place = SafeText.escape(store.directory)
        return CheckResult(
            name, "\(place) cannot be looked at",
            [
                .problem(
                    "\(place) cannot be looked at (\(SystemText.describe(number)))", why: Self.why,
                    remedy:
                        "Give this user the right to enter all folders of the path, or give another folder: --store DIR."
                )
            ])
    }

    /// It is made when it is needed first.
    private func missing(_ store: IdentityStore) -> CheckResult {
        var ancestor = store.directory
        while SystemFile.status(ancestor) == nil, let slash = ancestor.lastIndex(of: "/"), ancestor != "/" {
            ancestor = slash == ancestor.startIndex ? "/" : String(ancestor[..<slash])
        }
        let seen = "\(SafeText.escape(store.directory)) is not there yet"
        guard !SystemFile.isWritable(ancestor) else { return CheckResult(name, seen) }
        let folder = SafeText.escape(ancestor)
        return CheckResult(
            name, seen,
            [
                .problem(
                    "it cannot be created, because this user may not write in \(folder)", why: Self.why,
                    remedy: "Give another folder: --store DIR, or XDG_DATA_HOME.")
            ])
    }

    private func writing(_ folder: String) -> [Issue] {
        guard !SystemFile.isWritable(folder) else { return [] }
        return [
            .problem(
                "this user cannot write in \(SafeText.escape(folder)) (\(SystemText.describe(errno)))", why: Self.why,
                remedy: "Give this user the right to (chown, chmod u+rwx), or give another folder: --store DIR.")
        ]
    }

    private func space(_ folder: String) -> [Issue] {
        var status = statvfs()
        // SAFETY: writes one structure. The C string lives for the call.
        guard unsafe statvfs(folder, &status) == 0 else { return [] }
        let free = UInt64(status.f_bavail) * UInt64(status.f_frsize)
        let place = SafeText.escape(folder)
        let remedy = "Free space there, or give another folder: --store DIR."
        // File systems without inodes of their own say that there are none.
        if free == 0 || status.f_files > 0 && status.f_favail == 0 {
            return [.problem("the disk of \(place) is full", why: "Nothing can be remembered.", remedy: remedy)]
        }
        guard free < Self.scarce else { return [] }
        return [
            .warning(
                "the disk of \(place) has only \(ByteCount.text(free)) left", why: "Soon nothing can be remembered.",
                remedy: remedy)
        ]
    }

    /// Whether another process holds the lock of the known peers right now. The lock's file is not created.
    private func lock(_ store: IdentityStore) -> [Issue] {
        // SAFETY: the C string lives for the call.
        let file = unsafe open(store.knownPeersPath + ".lock", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        guard flock(file, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else { return [] }
        return [
            .warning(
                "another process holds the lock of the known peers", why: "Peers cannot be remembered meanwhile.",
                remedy: "If it stays so, find the process: fuser \(SafeText.escape(store.knownPeersPath)).lock.")
        ]
    }

    private func knownPeers(_ store: IdentityStore) async -> Issue? {
        guard SystemFile.status(store.knownPeersPath) != nil else { return nil }
        do throws(StorageError) {
            _ = try await KnownPeersFile(path: store.knownPeersPath).all()
            return nil
        } catch {
            return .problem(CommandFailure(error), why: "Without it, no peer is recognised.")
        }
    }
}
