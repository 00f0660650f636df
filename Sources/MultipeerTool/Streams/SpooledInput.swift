import Glibc
import MultipeerCommandLine
import MultipeerTerminal

/// Standard input as a file. An offer names the size of its file (SPEC §15.3), so all of the input has to be there first: it is kept on
/// the disk, and not in memory.
struct SpooledInput: Sendable {
    private static let pieceLength = 65_536
    /// How often to check whether the command still runs, in milliseconds.
    private static let patience: Int32 = 200

    private let folder: SpoolFolder
    private let name: String

    var path: String { folder.path + "/" + name }

    /// Reads standard input to its end. Returns nil if the task is cancelled.
    static func read(as name: String) async throws(CommandFailure) -> SpooledInput? {
        let cancellation = Cancellation()
        let result: Result<SpooledInput, CommandFailure> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                OwnThread.start { continuation.resume(returning: fill(as: name, unless: cancellation)) }
            }
        } onCancel: {
            cancellation.set()
        }
        let input = try result.get()
        guard cancellation.isSet else { return input }
        input.remove()
        return nil
    }

    /// Reads the input into a new folder. The call blocks.
    private static func fill(
        as name: String, unless cancellation: Cancellation
    ) -> Result<SpooledInput, CommandFailure> {
        do throws(CommandFailure) {
            let input = SpooledInput(folder: try SpoolFolder.create(), name: name)
            guard let failure = input.fill(unless: cancellation) else { return .success(input) }
            input.remove()
            return .failure(failure)
        } catch {
            return .failure(error)
        }
    }

    /// Removes what was read.
    func remove() { folder.remove() }

    /// Copies the input. The call blocks. Returns the failure.
    private func fill(unless cancellation: Cancellation) -> CommandFailure? {
        // SAFETY: the C string lives for the call.
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return SpoolFolder.failure(path) }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: Self.pieceLength)
        while !cancellation.isSet {
            var entry = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            // SAFETY: one entry, as said.
            guard unsafe poll(&entry, 1, Self.patience) > 0 else { continue }
            let count = unsafe buffer.withUnsafeMutableBytes { buffer in
                // SAFETY: writes at most `count` bytes.
                unsafe Glibc.read(STDIN_FILENO, buffer.baseAddress, buffer.count)
            }
            if count == 0 { return nil }
            guard count > 0 else {
                if errno == EINTR || errno == EAGAIN { continue }
                return CommandFailure(reading: "standard input", WholeInput.Failure(errno: errno))
            }
            guard Self.write(buffer[..<count], to: file) else { return SpoolFolder.failure(path) }
        }
        return nil
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to file: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            // SAFETY: reads the bytes of the slice.
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0 {
                guard errno == EINTR else { return false }
            } else {
                rest = rest.dropFirst(count)
            }
        }
        return true
    }
}
