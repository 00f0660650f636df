import FuzzSupport

/// The rest of an input: frames, where records end, and what the app and the clock do between them.
extension FramesDuel {
    func play(_ choices: inout Choices) throws {
        var builder = FramesBuilder(model)
        while choices.remaining > 0 {
            let byte = choices.byte()
            let argument = Int(byte >> 4)
            switch byte & 15 {
            case 0...3 where model.verification.isListed && argument >= 10:
                builder.verification(argument - 10, &choices)
            case 0...3: builder.control(argument % 10, &choices)
            case 4...8: builder.payload(argument, &choices, &budget)
            case 9: builder.append(choices.bytes(upTo: 300))
            case 10: builder.change(at: Int(choices.byte()), 1 << UInt8(argument & 7))
            case 11, 12:
                try receive(builder.plaintext, isAuthenticated: byte & 15 == 11)
                builder = FramesBuilder(model)
            case 13: try useApp(argument, &choices)
            case 14: try usePayload(argument, &choices)
            default: try useClock(argument, &choices)
            }
            if byte & 15 >= 13, builder.plaintext.isEmpty { builder = FramesBuilder(model) }
        }
        try receive(builder.plaintext, isAuthenticated: false)
    }

    private func useApp(_ action: Int, _ choices: inout Choices) throws {
        switch action {
        case 0...2: try invite(terms(&choices, isInvitation: true))
        case 3: try cancelInvitation()
        case 4...6: try accept(terms(&choices, isInvitation: false))
        case 7: try decline(choices.int(below: 2))
        case 8...10: try judge(isAccepted: true)
        case 11: try judge(isAccepted: false)
        case 12: try close()
        case 13: try rekey()
        case 15 where model.verification.isListed: try verify(&choices)
        default: try close([0, 0x20, 0x21, 0x4000][choices.int(below: 4)])
        }
    }

    private func verify(_ choices: inout Choices) throws {
        let byte = choices.byte()
        let codes = ModelVerification.codes
        switch byte & 3 {
        case 0: try giveCode(codes[byte < 0xC0 ? 0 : Int(byte >> 2) % codes.count])
        case 1: try answerCode(byte < 0xC0 ? codes[0] : byte < 0xE0 ? nil : codes[Int(byte >> 2) % codes.count])
        default: try compareStrings()
        }
    }

    private func useClock(_ action: Int, _ choices: inout Choices) throws {
        let drained = model.drainingSince.map { max($0, model.progressAt) + 5_000_000_000 }
        let deadline = model.hasDeadline ? model.deadline : drained ?? model.silentAt ?? model.now
        switch action {
        case 0...3: try advance(to: model.now + UInt64(choices.byte()) * 50_000_000, isAsleep: false)
        case 4, 5: try advance(to: deadline - 1, isAsleep: false)
        case 6, 7: try advance(to: deadline, isAsleep: false)
        case 8...11: try advance(to: deadline + UInt64(choices.byte()), isAsleep: true)
        case 12: try advance(to: model.now + 3_600_000_000_000, isAsleep: false)
        default: try endStream()
        }
    }

    private func terms(_ choices: inout Choices, isInvitation: Bool) -> ModelTerms {
        let byte = choices.byte()
        var terms = ModelTerms(preference: byte % 3, leaf: byte & 0x40 == 0 ? nil : FramesChoices.leaf)
        guard isInvitation else { return terms }
        if byte & 0x20 != 0 { terms.charter = model.ownKey + [UInt8](repeating: byte & 0x80, count: 32) + [0] }
        terms.timeout = [30_000, 1, 600_000, 2_000][Int(byte >> 3 & 3)]
        return terms
    }
}
