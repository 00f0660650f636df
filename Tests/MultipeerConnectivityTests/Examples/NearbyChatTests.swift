import MultipeerTestSupport
import Testing

@Suite("The chat among nearby devices, as processes", .endsIfItHangs)
struct NearbyChatTests {
    private static func chat(_ name: String, home: Scratch? = nil) throws -> Program {
        try Program("NearbyChat", [name], home: home)
    }

    /// The host invites the guest, which is asked.
    private static func meet(_ host: Program, _ hostName: String, _ guest: Program, _ guestName: String) async throws {
        try await host.sees("\(guestName) is nearby")
        host.type("/invite \(guestName)")
        try await guest.sees("\(hostName) wants to chat with you: /yes or /no?")
        guest.type("/yes")
        try await guest.sees("\(hostName) is in the chat")
        try await host.sees("\(guestName) is in the chat")
    }

    @Test("Two find each other, one asks, the other accepts, and they talk")
    func two() async throws {
        let (anna, ben) = (ownName("Anna"), ownName("Ben"))
        let (host, guest) = (try Self.chat(anna), try Self.chat(ben))
        host.type("hello?")
        try await host.sees("Nobody is in the chat")
        try await Self.meet(host, anna, guest, ben)
        host.type("hello, Ben")
        try await guest.sees("\(anna): hello, Ben")
        guest.type("\u{1B}[2J hello, Anna")
        try await host.sees("\(ben): ?[2J hello, Anna")
        #expect(await guest.ends(typing: "/quit") == 0)
        try await host.sees("\(ben) is not in the chat")
        #expect(await host.ends() == 0)
    }

    @Test("A refused peer can ask again at once, and a returning peer is the same")
    func refused() async throws {
        let (anna, ben) = (ownName("Anna"), ownName("Ben"))
        let home = try Scratch()
        let (host, guest) = (try Self.chat(anna), try Self.chat(ben, home: home))
        try await host.sees("\(ben) is nearby")
        host.type("/invite \(ben)")
        try await guest.sees("\(anna) wants to chat")
        guest.type("/no")
        try await host.sees("\(ben) is not in the chat")
        host.type("/invite \(ben)")
        try await guest.sees("\(anna) wants to chat")
        guest.type("/yes")
        try await host.sees("\(ben) is in the chat")
        #expect(await guest.ends(typing: "/quit") == 0)
        try await host.sees("\(ben) is not in the chat")
        // The archived peer ID is the same, so the key that is remembered for the name is the right one.
        let again = try Self.chat(ben, home: home)
        try await again.sees("\(anna) is nearby")
        again.type("/invite \(anna)")
        try await host.sees("\(ben) wants to chat")
        host.type("/yes")
        try await again.sees("\(anna) is in the chat")
        #expect(await again.ends(typing: "/quit") == 0)
        #expect(await host.ends(typing: "/quit") == 0)
    }

    @Test("Three: a peer that one invites is connected with both")
    func three() async throws {
        let names = [ownName("Anna"), ownName("Ben"), ownName("Cleo")]
        // One after the other, because each is seen to come once.
        var chats = [try Self.chat(names[0]), try Self.chat(names[1])]
        try await Self.meet(chats[0], names[0], chats[1], names[1])
        chats.append(try Self.chat(names[2]))
        try await Self.meet(chats[0], names[0], chats[2], names[2])
        try await chats[1].sees("\(names[2]) is in the chat")
        try await chats[2].sees("\(names[1]) is in the chat")
        for (speaker, name) in zip(chats, names) {
            speaker.type("this is \(name)")
            for listener in chats where listener !== speaker { try await listener.sees("\(name): this is \(name)") }
        }
        #expect(await chats[1].ends() == 0)
        for (chat, name) in zip(chats, names) where name != names[1] {
            try await chat.sees("\(names[1]) is not in the chat")
        }
        chats[0].type("without Ben")
        try await chats[2].sees("\(names[0]): without Ben")
        for chat in [chats[0], chats[2]] { #expect(await chat.ends() == 0) }
    }
}
