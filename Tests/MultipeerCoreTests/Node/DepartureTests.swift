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
        #expect(Departure(.finished(unsentMessages: 0), .init(hasLeft: true)) == .left)
        #expect(Self.departure(.truncated) { $0.hasLeft = true } == .left)
        for code in [CloseCode.noError, .shuttingDown] { #expect(Self.departure(.peerClosed(code)) == .closed) }
        let lost: [LinkFailureCause] = [
            .truncated, .silent, .timedOut, .invitation(.peerBusy), .invitation(.noAnswer), .invitation(.superseded),
            .peerClosed(.duplicateLink), .peerClosed(.silent), .crypto(.nonceExhausted), .limit(.sendingStalled),
        ]
        for cause in lost { #expect(Self.departure(cause) == .lost, "\(cause)") }
        for cause in [LinkFailureCause.peerClosed(.duplicateLink), .invitation(.superseded)] {
            #expect(Self.departure(cause) { $0.hasOtherLink = true } == .replaced)
        }
        let refused: [LinkFailureCause] = [
            .invitation(.declinedByPeer), .invitation(.declined), .invitation(.withdrawnByPeer),
            .invitation(.noSession),
            .invitation(.sessionFull), .incompatible(.encryptionPolicy(local: .none, remote: .required)),
            .certificate(.missing), .certificate(.unknownAuthority), .certificate(.verdictTimeout),
            .peerClosed(.certificateRequired), .peerClosed(.certificateRejected), .peerClosed(.certificateExpired),
            .peerClosed(.unknownAuthority), .peerClosed(.verdictTimeout),
        ]
        for cause in refused { #expect(Self.departure(cause, stage: .certificates) == .refused, "\(cause)") }
        #expect(Self.departure(.timedOut, stage: .certificates) == .refused)
        #expect(Self.departure(.certificate(.bindingInvalid), stage: .certificates) == .misbehaved)
        for code in [CloseCode.malformed, .internalError, .entryInvalid, CloseCode(rawValue: 0x4000)] {
            #expect(Self.departure(.peerClosed(code)) == .failed)
        }
        let faults: [LinkFailureCause] = [
            .malformed(WireError(.truncated, in: .framePayload)), .violation(.creditExceeded),
            .violation(.entryInvalid),
            .incompatible(.unsupportedFrame(0x26)),
        ]
        for cause in faults {
            #expect(Self.departure(cause) == .lost)
            #expect(Self.departure(cause) { $0.isAttributable = true } == .misbehaved)
            // Whatever ended the link before PROOF is nobody's.
            #expect(
                Self.departure(cause) {
                    $0.isProved = false
                    $0.isAttributable = true
                } == .lost)
        }
        #expect(Self.departure(.peerClosed(.malformed)) { $0.isProved = false } == .lost)
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
