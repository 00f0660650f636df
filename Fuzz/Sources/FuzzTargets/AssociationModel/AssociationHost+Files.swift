import FuzzSupport
import MultipeerCore
import MultipeerCrypto
import MultipeerSodium
import MultipeerWire

/// What the app of the honest peer does with files. Every misuse is foreseen.
extension AssociationHost {
    // MARK: Files that the local peer sends

    func offer(_ choices: inout Choices) throws {
        let byte = choices.byte()
        let size: UInt64 = [0, 1, 40, 65_281, 70_000, 300][Int(byte & 7) % 6]
        let tag = [UInt8](repeating: byte >> 3 & 1, count: 16)
        let kind = FileKind.allCases[Int(byte >> 4 & 3) % 3]
        let manifest = kind == .folder ? min(size, 17) : 0
        var file: FileID?
        try ask(
            "offer", isAllowed: isOpenForApp && association.offersOut.room > 0,
            { model in
                let number = model.takeOwnNumber()
                model.offersOut.used += 1
                let offer = ModelOffer(
                    id: number, size: size, tag: tag, type: kind.rawValue, modified: UInt64(byte), manifest: manifest,
                    name: Array("file".utf8))
                model.outgoing[number] = ModelOutgoingFile(offer: offer)
                model.owed.append(ModelSent(0x50, offer.encoded))
            },
            {
                file = try offer(
                    OutgoingOffer(
                        name: "file", size: size, tag: tag, kind: kind, modified: UInt64(byte), manifest: manifest))
            })
        if let file { names.files[file.rawValue] = file }
    }

    /// A file that the package knows: mostly a live one of the peer that is asked for.
    private func file(_ live: [UInt64], _ choices: inout Choices) -> FileID? {
        let byte = choices.byte()
        let all = byte < 0xE0 && !live.isEmpty ? live.sorted() : names.files.keys.sorted()
        return all.isEmpty ? nil : names.files[all[Int(byte) % all.count]]
    }

    func supply(_ choices: inout Choices) throws {
        let wanting = association.outgoing.filter { $0.value.wanted != nil }.keys
        guard let id = file(Array(wanting), &choices) else { return }
        let (byte, live) = (choices.byte(), association.outgoing[id.rawValue])
        let wanted = live?.wanted ?? 0
        let count = byte < 0xA0 ? min(wanted, 65_280) : byte == 0xFF ? wanted + 1 : Int(byte)
        guard count <= budget else { return }
        budget -= count
        let chunk = SessionFile.content(of: 0, file: id.rawValue, from: live?.supplied ?? 0, count: count)
        try ask(
            "supply", isAllowed: isLive && live?.wanted != nil && (1...max(wanted, 1)).contains(count),
            { model in
                model.outgoing[id.rawValue]?.supplied += UInt64(count)
                model.outgoing[id.rawValue]?.wanted = nil
            }, { try supply(chunk, to: id) })
    }

    func cancelOwn(_ choices: inout Choices) throws {
        guard let id = file(Array(association.outgoing.keys), &choices) else { return }
        let reason = Self.reason(&choices)
        try ask(
            "cancel", isAllowed: isLive && association.outgoing[id.rawValue] != nil,
            { $0.endOwn(id.rawValue, reason.rawValue) }, { try cancel(id, reason) })
    }

    /// Not *interrupted*, which is what a link says of files when its app closes.
    private static func reason(_ choices: inout Choices) -> FileCancel.Reason {
        let reasons = FileCancel.Reason.allCases.filter { $0 != .interrupted }
        return reasons[choices.int(below: reasons.count)]
    }

    /// The hash of the own beginning: the right one, or that of other bytes (R15.3-10).
    func submit(_ choices: inout Choices) throws {
        let checking = association.outgoing.filter { if case .checking = $0.value.state { true } else { false } }.keys
        guard let id = file(Array(checking), &choices) else { return }
        let (isChanged, number) = (choices.byte() >= 0xC0, id.rawValue)
        guard let live = association.outgoing[number], case .checking(let offset, let hash) = live.state,
            offset <= 100_000
        else { return }
        var bytes = live.content(from: 0, count: Int(offset))
        if isChanged { bytes[0] ^= 1 }
        let held = try AssociationDigests.beginning(bytes)
        let isRight = ModelBinding.sha256(bytes) == hash
        // The rest of a file whose beginning has changed has another hash.
        guard !isRight || !isChanged else { return }
        try ask(
            "submit", isAllowed: isLive,
            { model in
                guard isRight else { return model.differ(number) }
                model.outgoing[number]?.state = .sending
                model.events.append(.outgoingAccepted(number))
            }, { try submit(held, of: id) })
    }

    // MARK: Files that the peer sends

    func accept(_ choices: inout Choices) throws {
        let offered = association.incoming.filter { $0.value.state == .offered }.keys
        guard let id = file(Array(offered), &choices) else { return }
        let (byte, number) = (choices.byte(), id.rawValue)
        let size = association.incoming[number]?.offer.size ?? 0
        let length =
            byte < 0x80 ? 0 : byte < 0xC0 ? min(size, UInt64(byte & 0x3F)) : min(size, 100_000) + UInt64(byte & 1)
        let bytes = SessionFile.content(of: 1, file: number, from: 0, count: Int(length))
        let held = length == 0 ? nil : try AssociationDigests.beginning(bytes)
        try ask(
            "accept", isAllowed: isOpenForApp && association.incoming[number]?.state == .offered && length <= size,
            { model in
                model.incoming[number]?.state = .receiving
                model.incoming[number]?.bytes = bytes
                model.incoming[number]?.window.used = length
                model.incoming[number]?.window.released = length
                model.incoming[number]?.owedAccept = (length, ModelBinding.sha256(bytes))
            }, { try accept(id, held) })
    }

    func refuse(_ choices: inout Choices) throws {
        let live = association.incoming.filter { !$0.value.isCancelled }.keys
        guard let id = file(Array(live), &choices) else { return }
        let (reason, number) = (Self.reason(&choices), id.rawValue)
        let state = association.incoming[number]
        try ask(
            "refuse", isAllowed: isLive && state.map { !$0.isCancelled } ?? false,
            { model in
                model.incoming[number]?.state = .cancelled(mayCome: state?.state == .receiving)
                model.incoming[number]?.window.release(.max)
                model.tell(number, reason.rawValue)
                model.returnOffer(number, isTold: true)
            }, { try refuse(id, reason) })
    }

    func confirm(_ choices: inout Choices) throws {
        let storing = association.incoming.filter { $0.value.state == .storing }.keys
        guard let id = file(Array(storing), &choices) else { return }
        try ask(
            "confirm", isAllowed: isLive && association.incoming[id.rawValue]?.state == .storing,
            { model in
                model.owed.append(ModelSent(0x5A, ModelSent.varint(id.rawValue) + [0]))
                model.incoming[id.rawValue] = nil
                model.offers.release(1)
            }, { try confirm(id) })
    }

    /// The app takes bytes of a file, or its end.
    func takeOfFile(_ choices: inout Choices) throws {
        guard let id = file(Array(association.incoming.keys), &choices) else { return }
        let (byte, number) = (choices.byte(), id.rawValue)
        if byte >= 0xC0 {
            // Only a file that ended by the peer, or by its hash, has an end to be taken.
            guard association.untakenEnds.remove(number) != nil else { return }
            tookEnd(of: id)
            association.returnOffer(number, isTold: true)
        } else {
            let count = byte < 0x80 ? Int(byte) : [300, 20_000, 32_768, 1_000_000][Int(byte) % 4]
            releaseCredit(count, of: id)
            if association.incoming[number]?.state == .receiving {
                association.incoming[number]?.window.release(UInt64(count))
            }
        }
        try settle()
    }
}

/// Beginnings of files, with digests that continue.
enum AssociationDigests {
    static func beginning(_ bytes: [UInt8]) throws -> HeldBeginning {
        let digester = FuzzCrypto.sodium.bulkDigest.makeDigester()
        digester.update(bytes.span)
        let digest = FuzzCrypto.sodium.hashing.hash(bytes.span, [UInt8]().span)
        return HeldBeginning(length: UInt64(bytes.count), digest: digest, digester: digester)
    }
}
