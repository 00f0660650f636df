import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import MultipeerNIO
import MultipeerWire
import Synchronization

/// What a live peer keeps of the files that it is sent, in memory, and what it offers. Links share it (SPEC §15.7).
final class LiveFiles: Sendable {
    private struct Key: Hashable {
        let peer: IdentityKey
        let tag: [UInt8]
        let size: UInt64
        let kind: FileKind
        let manifest: UInt64
    }

    private let held = Mutex<[Key: [UInt8]]>([:])

    /// Takes a file that the peer offers, or what is lacking of it.
    ///
    /// - Parameter mayResume: Whether no other file of the link has this tag (R15.7-2).
    func take(_ offer: IncomingOffer, from peer: IdentityKey, on link: LinkConnection, mayResume: Bool) async {
        let key = Key(peer: peer, tag: offer.tag, size: offer.size, kind: offer.kind, manifest: offer.manifest)
        let isKept = offer.tag != FileOffer.noTag
        var content = isKept && mayResume ? held.withLock { $0[key] } ?? [] : []
        do {
            try await link.receiveFile(offer.file, holding: content.isEmpty ? nil : try Self.beginning(content))
        } catch {
            return
        }
        while let part = await link.nextPart(of: offer.file) {
            switch part {
            case .bytes(let bytes):
                content += bytes
                if isKept { held.withLock { $0[key] = content } }
            case .complete where offer.kind == .folder && !Self.isGood(content, offer):
                try? await link.refuseFile(offer.file, reason: .badManifest)
            case .complete: try? await link.confirmFile(offer.file)
            case .ended(let reason, _):
                if ![.interrupted, .stalled, .sourceFailed, .noSpace, .noPermission].contains(reason) {
                    held.withLock { $0[key] = nil }
                }
            }
        }
    }

    private static func isGood(_ content: [UInt8], _ offer: IncomingOffer) -> Bool {
        let manifest = Array(content.prefix(Int(offer.manifest)))
        return (try? FolderManifest(encoded: manifest.span, offerSize: offer.size)) != nil
    }

    /// Bytes that are held, hashed.
    static func beginning(_ content: [UInt8]) throws(CryptoFailure) -> HeldBeginning {
        let (once, digester) = (try Tools.crypto.bulkDigest.makeDigester(), try Tools.crypto.bulkDigest.makeDigester())
        once.update(content.span)
        digester.update(content.span)
        return HeldBeginning(length: UInt64(content.count), digest: try once.finish(), digester: digester)
    }

    // MARK: Offering

    private static let offered = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 13) }
    private static let offer = OutgoingOffer(
        name: "offered.bin", size: UInt64(offered.count), tag: [UInt8](repeating: 0x6F, count: FileOffer.tagLength))

    /// Offers the same file on each link.
    static func offer(on link: LinkConnection) async { _ = try? await link.offerFile(offer) }

    /// Answers what the link asks of that file.
    static func supply(_ event: OutgoingFileEvent, on link: LinkConnection) async {
        switch event {
        case .beginningWanted(let file, let length):
            guard let beginning = try? beginning(Array(offered.prefix(Int(length)))) else { return }
            try? await link.submitBeginning(beginning, of: file)
        case .wanted(let file, let offset, let maximum):
            try? await link.supply(Array(offered.dropFirst(Int(offset)).prefix(maximum)), to: file)
        default: break
        }
    }
}
