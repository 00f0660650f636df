import Glibc
import MultipeerCertificates
import MultipeerCommandLine
import MultipeerTerminal
import MultipeerTestSupport
import MultipeerWire
import Synchronization
import Testing

@testable import MultipeerDiscovery
@testable import MultipeerTool

/// Swift Testing has an `Issue` too.
private typealias Issue = MultipeerTool.Issue

@Suite("Judgements of the doctor")
struct DoctorCheckTests {
    private static let lists: [EncryptionPreference] = [.none, .optional, .required]

    @Test("Encryption that cannot agree is a problem of the peer without encryption, SPEC §11")
    func encryption() {
        for own in Self.lists {
            for other in Self.lists {
                let issue = PolicyComparison.encryption(own: own, other: other)
                let cannotAgree = Set([own, other]) == [.none, .required]
                #expect((issue != nil) == cannotAgree)
                guard let issue else { continue }
                #expect(issue.remedy.contains("encryption here") == (own == .none))
                #expect(issue.remedy.contains("the remote person") == (own == .required))
                #expect(issue.remedy.contains("--encryption optional"))
            }
        }
    }

    @Test("Certificates are judged in both directions, as the validators will judge them")
    func certificates() throws {
        let (root, other) = (try TestAuthority("Root"), try TestAuthority("Other"))
        let (good, expired) = (try root.issue("good"), try root.issue("bad", isExpired: true))
        let trust = SidePolicy.Trust.authorities([try root.certificate], file: "ca.pem")
        func shown(_ leaf: TestAuthority) throws -> SidePolicy.Shown {
            .chain(try UnverifiedCertificateChain([leaf.certificate]))
        }
        let rows: [(SidePolicy.Shown, String?)] = [
            (.unknown, nil), (try shown(good), nil), (.nothing, "shows no certificate"),
            (try shown(expired), "expired"), (try shown(try other.issue("x")), "no trusted authority"),
        ]
        for (shown, reason) in rows {
            let mine = PolicyComparison.issues(own: SidePolicy(trust: trust), other: SidePolicy(shown: shown))
            let theirs = PolicyComparison.issues(own: SidePolicy(shown: shown), other: SidePolicy(trust: trust))
            #expect(mine.map(\.finding) == (reason == nil ? [] : [.problem]))
            #expect(theirs.map(\.finding) == mine.map(\.finding))
            guard let reason else { continue }
            #expect(mine[0].reason.contains(reason) && theirs[0].reason.contains(reason))
            #expect(mine[0].reason.contains("the local peer ") && mine[0].remedy != theirs[0].remedy)
        }
    }

    @Test("A clock is wrong before this protocol existed, before an existing file, and far in the future")
    func clock() {
        let now: Int64 = 1_800_000_000
        func issues(_ wall: Int64, newest: Int64, started: Int64? = nil, isKept: Bool? = true) -> [Issue] {
            let kernel = started.map { (started: $0, uptime: now - $0) }
            let evidence = ClockCheck.Evidence(
                wall: wall, kernel: kernel, newest: (path: "/bin/x", changed: newest), isKept: isKept)
            return ClockCheck.result(of: evidence).issues
        }
        #expect(issues(now, newest: now - 9, started: now - 600).isEmpty)
        #expect(issues(now, newest: now + 86_400).isEmpty)
        for (wall, newest) in [(now, now + 86_401), (1_000_000_000, 5), (5_000_000_000, now)] {
            let found = issues(wall, newest: newest)
            #expect(found.map(\.finding) == [.problem])
            #expect(found[0].reason.hasPrefix("the clock is wrong") && found[0].remedy.contains("timedatectl"))
        }
        #expect(issues(now, newest: now, isKept: false).map(\.finding) == [.warning])
        #expect(issues(now, newest: now, isKept: nil).isEmpty)
        let told = issues(now - 90_000, newest: 0, started: now - 600)
        #expect(told.map(\.finding) == [.warning] && told[0].reason.contains("25 hours before"))
    }

    @Test("Times are in UTC, and durations in their largest unit")
    func dates() {
        #expect(CalendarDate.text(0) == "1970-01-01 00:00 UTC")
        #expect(CalendarDate.text(951_782_399) == "2000-02-28 23:59 UTC")
        #expect(CalendarDate.text(951_868_740) == "2000-02-29 23:59 UTC")
        #expect(CalendarDate.text(4_107_542_400) == "2100-03-01 00:00 UTC")
        #expect(CalendarDate.text(-60) == "1969-12-31 23:59 UTC")
        #expect(CalendarDate.length(1) == "1 second" && CalendarDate.length(-119) == "119 seconds")
        #expect(CalendarDate.length(86_400 * 35) == "35 days" && CalendarDate.length(7_200) == "2 hours")
    }

    @Test("Of a firewall's rules those count that can drop packets of peers")
    func firewall() {
        let rules = """
            table inet wall {
            \tchain in {
            \t\ttype filter hook input priority filter; policy drop;
            \t\tudp dport { 53, 5353 } drop
            \t\ttcp dport 22 drop
            \t\ttcp dport 4711 accept
            \t}
            \tchain other {
            \t\tudp dport 5353 drop
            \t}
            }
            table ip nat {
            \tchain out {
            \t\ttype filter hook output priority 0; policy accept;
            \t\tip daddr 224.0.0.251 reject
            \t}
            }
            """
        #expect(
            FirewallRules(rules, ports: [5353, 4711]).signs == [
                "nftables inet wall in drops by default", "nftables inet wall in has: udp dport { 53, 5353 } drop",
                "nftables ip nat out has: ip daddr 224.0.0.251 reject",
            ])
        #expect(FirewallRules("", ports: [5353]).signs.isEmpty)
    }

    @Test("Rules of the old kind count too: whole chains, ports, ranges of ports, and groups")
    func legacyFirewall() {
        let rules = """
            # Generated by iptables-save v1.8.9
            *filter
            :INPUT DROP [0:0]
            :FORWARD DROP [0:0]
            :OUTPUT ACCEPT [0:0]
            :mine - [0:0]
            -A INPUT -p udp -m udp --dport 5353 -j DROP
            -A INPUT -p udp -m udp --dport 5353 -j ACCEPT
            -A INPUT -p tcp -m multiport --dports 22,4000:5000 -j REJECT --reject-with icmp-port-unreachable
            -A INPUT -p tcp -m tcp --dport 22 -j DROP
            -A INPUT -s 10.0.0.0/8 -j DROP
            -A mine -d 224.0.0.251/32 -j DROP
            -A OUTPUT -j REJECT
            -A FORWARD -j DROP
            COMMIT
            """
        #expect(
            LegacyFirewallRules(rules, of: "iptables (legacy)", ports: [5353, 4711]).signs == [
                "iptables (legacy) filter INPUT drops by default",
                "iptables (legacy) filter has: -A INPUT -p udp -m udp --dport 5353 -j DROP",
                "iptables (legacy) filter has: -A INPUT -p tcp -m multiport --dports 22,4000:5000 -j REJECT --reject-with icmp-port-unreachable",
                "iptables (legacy) filter has: -A mine -d 224.0.0.251/32 -j DROP",
                "iptables (legacy) filter has: -A OUTPUT -j REJECT",
            ])
        #expect(LegacyFirewallRules("", of: "iptables", ports: [5353]).signs.isEmpty)
    }

    @Test("One fault of multicast is reported once, however many interfaces and families it affects")
    func faults() {
        let (one, two) = (interface("eth0", 2), interface("wlan0", 3))
        let blocked = MulticastProbe.Outcome.unsent(SocketError(number: EPERM))
        let routeless = MulticastProbe.Outcome.unsent(SocketError(number: ENETUNREACH))
        func told(_ outcomes: [(NetworkInterface, Bool, MulticastProbe.Outcome)]) -> [Issue] {
            MulticastFault.all(
                in: outcomes.map { MulticastCheck.Trial(interface: $0.0, isIPv4: $0.1, outcome: $0.2) }
            ).map(\.issue)
        }
        let all = told([(one, true, blocked), (one, false, blocked), (two, true, blocked), (two, false, blocked)])
        #expect(all.count == 1 && all[0].finding == .problem)
        #expect(all[0].reason.hasPrefix("eth0, IPv4 and IPv6; wlan0, IPv4 and IPv6: multicast is blocked"))
        #expect(all[0].remedy.contains("224.0.0.251 and ff02::fb"))
        // Each interface needs its own route, and both families.
        let routes = told([(one, true, routeless), (one, false, routeless), (two, true, routeless)])
        #expect(routes.map { $0.reason.prefix { $0 != ":" } } == ["eth0, IPv4 and IPv6", "wlan0, IPv4"])
        #expect(routes[0].remedy.contains("224.0.0.0/4 dev eth0; ip -6 route add ff00::/8 dev eth0"))
        // One family is enough there, and not here.
        let partly = told([(one, true, .received), (one, false, .lost), (two, false, .lost)])
        #expect(partly.map(\.finding) == [.warning, .problem])
        #expect(told([(one, true, .lost), (one, false, blocked)]).map(\.finding) == [.problem, .problem])
    }

    private func interface(_ name: String, _ index: UInt32) -> NetworkInterface {
        NetworkInterface(
            name: name, index: index, isUp: true, isLoopback: false, carriesMulticast: true, isConnected: true,
            isPointToPoint: false, addresses: [])
    }

    @Test("A socket is found by its port")
    func sockets() {
        let line: Substring =
            "  42: 00000000:14E9 00000000:0000 07 00000000:00000000 00:00000000 00000000   110        0 4321 2 0000 0"
        #expect(SocketTable.entry(line, 5353) { _ in true } == SocketTable.Entry(user: 110, inode: 4321))
        #expect(SocketTable.entry(line, 5354) { _ in true } == nil)
        #expect(SocketTable.entry(line, 5353) { $0 == "0A" } == nil)
        #expect(SocketTable.entry("sl local", 5353) { _ in true } == nil)
    }

    @Test("A question of mDNS is well-formed")
    func question() {
        let bytes = MulticastProbe.question(named: "doctor-1")
        #expect(bytes.count == 12 + 9 + 11 + 5 + 6 + 5)
        #expect(bytes[4...5] == [0, 1] && bytes.suffix(5) == [0, 0, 16, 0, 1])
    }

    @Test("The doctor reports what discovery lacks")
    func daemon() throws {
        let view = NetworkView(.all, [])
        func issues(_ survey: AvahiSurvey, _ settings: [String: String] = [:], isPortFree: Bool = true) -> [Issue] {
            DaemonCheck.result(of: survey, settings, view, isPortFree: isPortFree, owners: "x (process 1)").issues
        }
        let none = AvahiSurvey(daemonVersion: nil, daemonError: .noDaemon, hasResponder: true)
        #expect(issues(none).isEmpty)
        #expect(issues(none, isPortFree: false)[0].reason.contains("kept by x (process 1)"))
        let nothing = AvahiSurvey(
            daemonVersion: nil, daemonError: .noLibrary("libavahi-client3"), hasResponder: false)
        #expect(issues(nothing).map(\.finding) == [.problem, .warning])
        #expect(issues(nothing).map(\.remedy).joined().contains("libavahi-core7"))
        let daemon = AvahiSurvey(daemonVersion: "avahi 0.8", daemonError: nil, hasResponder: true)
        #expect(issues(daemon, isPortFree: false).isEmpty)
        #expect(issues(daemon, ["disable-user-service-publishing": "yes"]).map(\.finding) == [.problem])
        #expect(issues(daemon, ["disable-publishing": "no"]).isEmpty)
    }
}

@Suite("How checks are run and reported", .endsIfItHangs)
struct ExaminationTests {
    /// Has more time than passes in the test.
    private struct Quick: Check {
        let name: CheckName
        var limit: Duration { .seconds(1_000_000_000) }
        func run() async -> CheckResult { CheckResult(name, "seen") }
    }

    /// Ends when it is cancelled, and then too late.
    private struct Endless: Check {
        var name: CheckName { .daemon }
        var limit: Duration { .seconds(4) }
        func run() async -> CheckResult {
            await untilCancelled()
            return CheckResult(name, "too late")
        }
    }

    @Test("Results come in order, and a check that does not finish is reported")
    func order() async throws {
        let clock = ManualClock()
        let results = Mutex<[CheckResult]>([])
        let examination = Task {
            await Examination.run([Quick(name: .clock), Endless(), Quick(name: .store)], clock: clock) { result in
                results.withLock { $0.append(result) }
            }
        }
        try await eventually {
            clock.advance(by: Endless().limit)
            return results.withLock(\.count) == 3
        }
        try await examination.outcome()
        let told = results.withLock { $0 }
        #expect(told.map(\.name) == [.clock, .daemon, .store])
        #expect(told.map(\.finding) == [.good, .warning, .good])
        #expect(told[1].issues[0].remedy.contains("--only daemon"))
    }

    @Test("The worst issue is the finding, and comes first; problems decide the status")
    func findings() {
        let warning = Issue.warning("w", why: "y", remedy: "r")
        let problem = Issue.problem("p", why: "y", remedy: "r")
        let result = CheckResult(.ports, "seen", [warning, problem])
        #expect(result.finding == .problem && result.issues == [problem, warning])
        var diagnosis = Diagnosis()
        diagnosis.add(CheckResult(.clock, "seen", [warning]))
        #expect(diagnosis.status == .done)
        diagnosis.add(result)
        #expect(diagnosis.status == .found && diagnosis.status.rawValue == 1)
        #expect(diagnosis.text(Palette(isEnabled: false)) == "2 checks: 1 problem, 2 warnings")
    }

    @Test("Marks are ASCII unless the locale says UTF-8")
    func marks() {
        for (name, isUTF8) in [
            ("C.UTF-8", true), ("de_DE.utf8", true), ("de_DE.UTF-8@euro", true), ("C", false), ("de_DE", false),
            (nil, false),
        ] {
            #expect(TextLocale(name: name).isUTF8 == isUTF8)
        }
        let report = CheckReport(
            result: CheckResult(.ports, "seen", [.problem("p", why: "y.", remedy: "r.")]), marks: Marks(isUTF8: false))
        #expect(
            report.text(Palette(isEnabled: false)) == "x ports         seen\n    x p\n      why: y.\n      remedy: r.")
        #expect(Marks(isUTF8: true).mark(.problem) == "✘")
    }
}
