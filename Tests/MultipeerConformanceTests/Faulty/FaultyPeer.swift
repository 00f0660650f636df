import MultipeerConformance
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerSodium
import MultipeerWire

/// A peer that judges what it is sent by itself, and speaks by the scripted peer: conforming, but for the faults that are
/// switched on.
///
/// One connection, one thread. Its app accepts everything, and answers once a record is dealt with.
final class FaultyPeer {
    struct Settings: Sendable {
        var faults: Set<Fault> = []
        var invites = false
        var encryption = EncryptionPreference.optional
        var takesFiles = true
        var offersFile = false
        var expectedPeer: [UInt8]?
        var handshakeDeadline: Duration = .seconds(10)
        var certificateDeadline: Duration = .seconds(60)
        /// Keep-alive (SPEC §13.7).
        var ping: Duration = .seconds(5)
        var silence: Duration = .seconds(300)
        /// What every link of this peer holds of files.
        let held = HeldFiles()
        /// What its person does to verify the tester's key (SPEC §25); nil where it does not list the feature.
        var verification: PeerProfile.Verification?
        let codes = LiveCodes()
        var identity: any IdentitySigner
    }

    enum Stage { case hello, proof, info, identified, pairing, inviting, certificates, open, closing, over }

    /// Why the link ends: a code that the peer gets, or nil for nothing.
    struct Failure: Error {
        let code: CloseCode?
        /// Whether no later record can be read.
        var isBroken = false
        /// Whether all that was to be done about it is done.
        var isHandled = false

        static let handled = Failure(code: nil, isHandled: true)
    }

    let role: StreamRole
    let settings: Settings
    private let stream: TCPStream
    let script: ScriptedPeer

    var stage = Stage.hello
    var output: [UInt8] = []
    var endsSending = false
    private var hasEndedSending = false
    var deadline: Deadline
    private var hasDeadline = true

    // The record stream.
    var buffer: [UInt8] = []
    var magicSeen = 0
    var magicSent: [UInt8] = []
    var isBroken = false
    var hasReadHello = false
    var allowance = 131_072

    // The link.
    var isProved = false
    var hasPeerInfo = false
    var ownInvite: [UInt8] = []
    var hasCrossed = false
    var peerKind = IdentityKind.none
    var outcome = EncryptionOutcome.encrypted
    var hasCertificates = false
    var sentReady = false
    /// READY has gone out, so that records need no padding any more.
    private var isReadyOut = false
    var gotReady = false
    /// REKEY came in the record that is being read.
    var hasRekeyed = false
    var association = Association()
    var peerVerifies = false
    var code = CodeState()
    var strings = StringState()
    /// With a fault only: CLOSE came, and reading continued.
    var hasReadClose = false
    /// What the app answers when the record is dealt with.
    var answers: [() throws -> Void] = []

    init(role: StreamRole, stream: TCPStream, settings: Settings) {
        self.role = role
        self.stream = stream
        self.settings = settings
        script = ScriptedPeer(
            role: role, identity: settings.identity, crypto: Tools.crypto, random: Tools.sodium.random)
        script.overlooksConfirmation = settings.faults.contains(.ignoresConfirmation)
        script.overlooksTags = settings.faults.contains(.ignoresFailedTag)
        script.takesLowOrderKeys = settings.faults.contains(.takesWeakKeys)
        deadline = .after(settings.handshakeDeadline)
    }

    func has(_ fault: Fault) -> Bool { settings.faults.contains(fault) }

    func setDeadline(_ duration: Duration?) {
        hasDeadline = duration != nil
        deadline = .after(duration ?? .seconds(60))
    }

    // MARK: The loop

    func run() {
        defer { leaveCode() }
        do {
            if role == .initiator { try sendHello() }
            while stage != .over {
                try write()
                guard let bytes = try read() else { break }
                take(bytes)
            }
            try write()
            try drain()
        } catch {
            // The socket failed or the closing deadline passed; the tester sees the end of the stream.
        }
    }

    private func write() throws {
        if !output.isEmpty {
            try stream.send(output, until: .after(.seconds(20)))
            output = []
        }
        if endsSending, !hasEndedSending {
            hasEndedSending = true
            if !has(.keepsStreamOpen) { stream.endSending() }
        }
    }

    /// The next bytes; nil when the link is over.
    private func read() throws -> [UInt8]? {
        do {
            guard let bytes = try stream.receive(until: deadline) else {
                if has(.callsTruncationClosed), script.suite != nil, stage != .closing { sendClose(.noError) }
                endsSending = true
                return nil
            }
            return bytes
        } catch NetworkError.timedOut {
            if hasDeadline { fail(timeout()) }
            if stage == .closing || stage == .over { return script.suite == nil ? nil : [] }
            return []
        }
    }

    private func timeout() -> Failure {
        switch stage {
        case .hello, .proof, .info:
            if has(.ignoresHandshakeDeadline) {
                setDeadline(nil)
                return .handled
            }
            return Failure(code: .handshakeTimeout)
        case .identified: return Failure(code: .invitationTimeout)
        case .pairing:
            if has(.ignoresAttemptDeadline) {
                setDeadline(nil)
                return .handled
            }
            return Failure(code: .handshakeTimeout)
        case .certificates:
            if has(.ignoresCertificateDeadline) {
                setDeadline(nil)
                return .handled
            }
            return Failure(code: .verdictTimeout)
        case .open: return keepAlive()
        case .inviting, .closing, .over: return Failure(code: nil)
        }
    }

    /// Reads on until the remote end ends, so that no reset destroys what is on the way.
    private func drain() throws {
        let limit = Deadline.after(.seconds(5))
        while try stream.receive(until: limit) != nil {}
    }

    func take(_ bytes: [UInt8]) {
        buffer += bytes
        while stage != .over, !isBroken {
            do {
                guard try takeRecord() else {
                    if hasReadClose { finish() }
                    return
                }
                let waiting = answers
                answers = []
                if stage != .closing, stage != .over {
                    for answer in waiting { try answer() }
                }
                if stage == .open { heard() }
            } catch let failure as Failure {
                fail(failure)
            } catch {
                fail(Failure(code: .internalError))
            }
        }
    }

    /// A record came, and is dealt with.
    private func heard() {
        association.pings = 0
        setDeadline(settings.ping)
        settle()
    }

    /// SPEC §16.3
    func fail(_ failure: Failure) {
        if failure.isHandled { return }
        isBroken = isBroken || failure.isBroken
        answers = []
        if stage == .closing || stage == .over || script.suite == nil || failure.code == nil {
            if script.suite == nil { output = [] }
            stage = .over
            endsSending = true
            return
        }
        sendClose(failure.code ?? .internalError)
        stage = .closing
        setDeadline(.seconds(5))
    }

    // MARK: Sending

    func send<Frame: ControlFrame>(_ frame: Frame, as kind: RecordKind = .encrypted) {
        if Frame.type.isCounted { association.sent += 1 }
        send(frame.encoded(), as: kind)
    }

    func send(_ frames: [UInt8], as kind: RecordKind = .encrypted) {
        if let record = try? script.seal(frames + padding(behind: frames), as: kind) { output += record }
        if frames.first == UInt8(FrameType.ready.rawValue) { isReadyOut = true }
    }

    /// R6.5-1; each record holds one frame.
    private func padding(behind frames: [UInt8]) -> [UInt8] {
        guard !isReadyOut, !has(.forgetsPadding), let type = frames.first, type != FrameType.close.rawValue else {
            return []
        }
        let unit = type == FrameType.certificates.rawValue ? Padding.certificatesUnit : Padding.unit
        let overhead = RecordHeader.length + 16
        return WireBytes.filling(Padding.length(forRecord: frames.count + overhead, unit: unit))
    }

    func sendClose(_ code: CloseCode) {
        // Before the tester can hear of it: its next case may try the same code.
        leaveCode()
        send(Close(code: code))
        if has(.sendsBehindClose) { send([0x01, 0x00]) }
        endsSending = true
    }
}
