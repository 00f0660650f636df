import FuzzSupport

/// The rest of an input: frames, where records end, and what the app and the clock do between them.
extension FramesDuel {
    func play(_ choices: inout Choices) throws {
        var builder = FramesBuilder(model)
        while choices.remaining > 0 {
            let byte = choices.byte()
            let argument = Int(byte >> 4)
            switch byte & 15 {
            case 0...3: builder.control(argument % 10, &choices)
            case 4...8: builder.payload(argument % 8, &choices, &budget)
            case 9: builder.append(choices.bytes(upTo: 300))
            case 10: builder.change(at: Int(choices.byte()), 1 << UInt8(argument & 7))
            case 11, 12:
                try receive(builder.plaintext, isAuthenticated: byte & 15 == 11)
                builder = FramesBuilder(model)
            case 13: try useApp(argument, &choices)
            case 14: try useSession(argument, &choices)
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
        case 7: try decline(choices.int(below: 3))
        case 8...10: try judge(isAccepted: true)
        case 11: try judge(isAccepted: false)
        case 12: try close()
        default: try close([0, 0x20, 0x21, 0x4000][choices.int(below: 4)])
        }
    }

    private func useSession(_ action: Int, _ choices: inout Choices) throws {
        switch action {
        case 0...2: try send(count: Int(choices.byte()))
        case 3, 4: try offerFile("file", [0, 1, 40, 65_281][choices.int(below: 4)])
        case 5...7: try useFile(0, 0)
        case 8: try useFile(1, 0)
        case 9: try rekey()
        case 10: try useFile(2, Int(choices.byte()))
        case 11: try useFile(3, Int(choices.byte()))
        default: try useFile(4, Int(choices.byte()))
        }
    }

    private func useClock(_ action: Int, _ choices: inout Choices) throws {
        let deadline = model.hasDeadline ? model.deadline : model.now
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
        if byte & 0x20 != 0 { terms.charter = [UInt8](repeating: byte & 0x80, count: 64) + [0] }
        terms.timeout = [30_000, 1, 600_000, 2_000][Int(byte >> 3 & 3)]
        return terms
    }
}
