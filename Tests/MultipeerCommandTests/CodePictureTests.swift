import Multipeer
import MultipeerCrypto
import MultipeerNIO
import MultipeerTerminal
import MultipeerTestSupport
import Testing

@testable import MultipeerTool

@Suite("QR codes at terminals", .endsIfItHangs)
struct CodePictureTests {
    private static func link(_ addresses: String...) throws -> PeerLink {
        PeerLink(
            key: try #require(IdentityKey(String(repeating: "5d", count: 32))),
            addresses: try addresses.map { try Endpoint(parsing: $0) },
            code: OneTimeCode(typed: "152-matrix-swallow"),
            name: try DisplayName("Benjamin's desk"))
    }

    private static func picture(_ columns: Int, _ rows: Int, locale: String = "C.UTF-8") -> CodePicture {
        CodePicture(
            size: TerminalSize(columns: columns, rows: rows), locale: TextLocale(name: locale), hasColours: false)
    }

    @Test("A terminal of 80 columns and 24 lines has room for the code, the line below it and the cursor")
    func usual() throws {
        for link in try [
            Self.link("192.168.177.211:40699"), Self.link("192.0.2.18:40699", "[fe80::2cd6:caff:fef3:78c6%2]:40699"),
        ] {
            let lines = try #require(Self.picture(80, 24).lines(of: link))
            #expect(lines.count <= 22 && lines.allSatisfy { $0.count <= 80 })
            #expect(lines.joined().allSatisfy { "\u{2580}\u{2584}\u{2588} ".contains($0) })
        }
    }

    @Test(
        "receive draws the code at a real terminal of 80 columns and 24 lines, and shows its link",
        .enabled(if: Terminal.isAvailable))
    func drawn() async throws {
        let neighbourhood = try Neighbourhood()
        try neighbourhood.scratch.write("in/.keep", [])
        let receiver = try Terminal.start(
            ["receive", "--qr", "--dir", neighbourhood.scratch / "in"] + neighbourhood.store("Ben")
                + neighbourhood.options,
            steps: [Terminal.Step(text: "one try", keys: Terminal.interrupt)], kind: .init(hasColours: false),
            environment: ["LC_ALL": "C.UTF-8"])
        let output = await receiver.finish().output
        let lines = output.split { $0.isNewline }
        let squares = lines.filter { line in
            line.count > 20 && line.allSatisfy { "\u{2580}\u{2584}\u{2588} ".contains($0) }
        }
        #expect((15...22).contains(squares.count) && squares.allSatisfy { $0.count <= 80 }, "\(output)")
        #expect(lines.contains { $0.hasPrefix("link multipeer:") })
    }

    @Test("A larger terminal shows the whole margin; one that is too small, or draws no blocks, shows no code")
    func others() throws {
        let link = try Self.link("192.0.2.18:40699")
        let large = try #require(Self.picture(132, 60).lines(of: link))
        #expect(large.first?.allSatisfy { $0 == "\u{2588}" } == true && large[1].allSatisfy { $0 == "\u{2588}" })
        #expect(Self.picture(80, 20).lines(of: link) == nil)
        #expect(Self.picture(30, 60).lines(of: link) == nil)
        #expect(Self.picture(80, 24, locale: "C").lines(of: link) == nil)
        let ascii = try #require(Self.picture(132, 80, locale: "C").lines(of: link))
        #expect(ascii.joined().allSatisfy { "# ".contains($0) })
    }
}
