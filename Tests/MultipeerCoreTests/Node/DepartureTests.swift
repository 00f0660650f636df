import MultipeerCertificates
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

@testable import MultipeerCore

@Suite("Departures, SPEC §14.9")
struct DepartureTests {
    private static func departure(
        _ cause: LinkFailureCause, stage: LinkStage = .open,
        _ adjust: (inout Departure.Circumstances) -> Void = { _ in }
    ) -> Departure {
        var circumstances = Departure.Circumstances()
        adjust(&circumstances)
        return Departure(.failed(LinkFailure(stage: stage, cause: cause)), circumstances)
    }

    @Test("Each row of the table (R14.9-2)")
    func rows() {
        #expect(Departure(.finished(unsentMessages: 0), .init()) == .closed)
        for code in [CloseCode.noError, .shuttingDown] { #expect(Self.departure(.peerClosed(code)) == .closed) }
        #expect(Self.departure(.invitation(.withdrawn)) == .closed)
        let lost: [LinkFailureCause] = [
            .truncated, .silent, .timedOut, .invitation(.peerBusy), .invitation(.noAnswer), .invitation(.superseded),
            .peerClosed(.duplicateLink), .peerClosed(.silent), .peerClosed(.internalError),
            .peerClosed(.verdictTimeout),
            .peerClosed(.handshakeTimeout), .peerClosed(.invitationTimeout), .crypto(.nonceExhausted),
            .limit(.sendingStalled), .limit(.messageStalled), .certificate(.verdictTimeout),
        ]
        for cause in lost { #expect(Self.departure(cause, stage: .certificates) == .lost, "\(cause)") }
        let refused: [LinkFailureCause] = [
            .invitation(.declinedByPeer), .invitation(.declined), .invitation(.withdrawnByPeer),
            .invitation(.noSession),
            .invitation(.sessionFull), .incompatible(.encryptionPolicy(local: .none, remote: .required)),
            .certificate(.missing), .certificate(.unknownAuthority), .peerClosed(.certificateRequired),
            .verification(.codeWrong), .verification(.codeUnavailable), .peerClosed(.codeWrong),
            .peerClosed(.codeUnavailable), .peerClosed(.stringsDiffer),
            .peerClosed(.certificateRejected), .peerClosed(.certificateExpired), .peerClosed(.unknownAuthority),
        ]
        for cause in refused { #expect(Self.departure(cause, stage: .certificates) == .refused, "\(cause)") }
        #expect(Self.departure(.invitation(.declined)) { $0.declined = .busy } == .lost)
        for code in [CloseCode.malformed, .entryInvalid, .bindingInvalid, CloseCode(rawValue: 0x4000)] {
            #expect(Self.departure(.peerClosed(code)) == .failed)
        }
    }

    @Test("The member's entry, another link and the local app take precedence (R14.9-2)")
    func firstRows() {
        #expect(Departure(.finished(unsentMessages: 0), .init(hasLeft: true)) == .left)
        #expect(Self.departure(.truncated) { $0.hasLeft = true } == .left)
        #expect(Self.departure(.truncated) { ($0.hasLeft, $0.hasOtherLink) = (true, true) } == .left)
        for cause in [LinkFailureCause.peerClosed(.duplicateLink), .invitation(.superseded), .truncated, .silent] {
            #expect(Self.departure(cause) { $0.hasOtherLink = true } == .replaced)
        }
        let fault = LinkFailureCause.violation(.entryInvalid)
        #expect(Self.departure(fault) { ($0.hasOtherLink, $0.isAttributable) = (true, true) } == .misbehaved)
        #expect(Self.departure(.truncated, stage: .draining) { $0.isClosedHere = true } == .closed)
    }

    @Test("Only faults in a frame of the member, after its PROOF, are held against it (R14.9-2)")
    func blame() {
        let faults: [LinkFailureCause] = [
            .malformed(WireError(.truncated, in: .framePayload)), .violation(.creditExceeded),
            .violation(.entryInvalid),
            .certificate(.bindingInvalid),
        ]
        for cause in faults {
            #expect(Self.departure(cause) == .lost)
            #expect(Self.departure(cause) { $0.isAttributable = true } == .misbehaved)
            #expect(Self.departure(cause) { ($0.isProved, $0.isAttributable) = (false, true) } == .lost)
        }
        // Frames that this version does not know are no fault.
        let unknown = LinkFailureCause.incompatible(.unsupportedFrame(0x30))
        #expect(Self.departure(unknown) { $0.isAttributable = true } == .failed && Self.departure(unknown) == .lost)
        for code in [CloseCode.malformed, .noError, .certificateRejected] {
            #expect(Self.departure(.peerClosed(code)) { $0.isProved = false } == .lost)
        }
        #expect(Self.departure(.invitation(.withdrawn)) { $0.isProved = false } == .closed)
    }

    @Test("A fault in a frame is the member's; a broken record is not (R14.9-2)")
    func attributable() throws {
        let frame = try Duels.at(.open, honest: .responder)
        try Duels.poke(frame, WireBytes.frame(.messagePart, [1]))
        #expect(frame.failure != nil && frame.honest.link.isFailureAttributable)

        let record = try Duels.at(.open, honest: .responder)
        var bytes = try record.evil.seal(WireBytes.message(total: 1, [1]))
        bytes[bytes.count - 1] ^= 1
        record.evil.sendRaw(bytes)
        try record.exchange()
        #expect(record.cause == .violation(.decryptFailed))
        let isHeld = record.honest.link.isFailureAttributable
        #expect(!isHeld)

        let early = try Duels.at(.proof, honest: .responder)
        try Duels.poke(early, WireBytes.frame(.padding, [0]))
        let isEarlyHeld = early.honest.link.isFailureAttributable
        #expect(early.failure != nil && !isEarlyHeld)
    }
}
