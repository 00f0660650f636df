internal import CClock
import Glibc
import Multipeer
import MultipeerTransfers

/// Whether this host's clock can be right. Nothing shows a peer's clock: the protocol carries no time.
struct ClockCheck: LocalCheck {
    /// What a clock is compared with.
    struct Evidence: Sendable {
        /// Seconds since 1970, as this process sees them.
        let wall: Int64
        /// What the kernel says of when it started, and how long ago that is; nil where it does not say.
        var kernel: (started: Int64, uptime: Int64)?
        /// The file that was changed last, of those that are made at a right time.
        var newest: (path: String, changed: Int64)?
        /// Whether a time service keeps the clock; nil if that is not known.
        var isKept: Bool?
    }

    /// This protocol is younger than 2025, so that no right clock shows an earlier time.
    private static let earliest: Int64 = 1_735_689_600
    /// No certificate of SPEC §10.7 that this software makes is valid so long.
    private static let latest: Int64 = 4_102_444_800
    private static let day: Int64 = 86_400
    private static let why = "Certificates that are valid look expired, or not valid yet, and peers refuse each other."
    private static let remedy = "Set it: timedatectl set-ntp true, or date --set 'YYYY-MM-DD hh:mm' as root."

    /// Files and folders of this user's, which also tell what time it was.
    let places: [String]

    var name: CheckName { .clock }

    func look() -> CheckResult { Self.result(of: evidence) }

    static func result(of evidence: Evidence) -> CheckResult {
        let keeping =
            switch evidence.isKept {
            case true?: "a time service keeps it"
            case false?: "no time service keeps it"
            case nil: "whether a time service keeps it is not known"
            }
        let issues = impossible(evidence) + contradiction(evidence) + unkept(evidence)
        return CheckResult(.clock, "\(CalendarDate.text(evidence.wall)), \(keeping)", issues)
    }

    private static func impossible(_ evidence: Evidence) -> [Issue] {
        let wall = evidence.wall
        if wall < earliest || wall > latest {
            return [.problem("the clock is wrong: it shows \(CalendarDate.text(wall))", why: why, remedy: remedy)]
        }
        // A day, because zones of hosts and of file systems differ.
        guard let (path, changed) = evidence.newest, changed - wall > day else { return [] }
        return [
            .problem(
                "the clock is wrong: it is at least \(CalendarDate.length(changed - wall)) slow, because "
                    + "\(SafeText.escape(path)) was changed at \(CalendarDate.text(changed))",
                why: why, remedy: remedy)
        ]
    }

    private static func contradiction(_ evidence: Evidence) -> [Issue] {
        guard let (started, uptime) = evidence.kernel, started > 0 else { return [] }
        let difference = evidence.wall - (started + uptime)
        guard abs(difference) > day else { return [] }
        return [
            .warning(
                "this process gets a time that is \(CalendarDate.length(difference)) "
                    + "\(difference < 0 ? "before" : "after") the kernel's own",
                why: "Something gives this process another time, such as libfaketime. " + why,
                remedy: "Run it without that: look at LD_PRELOAD and FAKETIME.")
        ]
    }

    private static func unkept(_ evidence: Evidence) -> [Issue] {
        guard evidence.isKept == false else { return [] }
        return [
            .warning(
                "no time service keeps the clock", why: "A clock by itself goes wrong by seconds in a week. " + why,
                remedy: "Switch one on: timedatectl set-ntp true.")
        ]
    }

    // MARK: Evidence

    private var evidence: Evidence {
        let kept = multipeer_clock_is_kept()
        return Evidence(
            wall: SystemClock.wall(), kernel: Self.kernel, newest: newest, isKept: kept < 0 ? nil : kept == 1)
    }

    private static var kernel: (started: Int64, uptime: Int64)? {
        let line = SystemFile.lines("/proc/stat").first { $0.hasPrefix("btime ") }
        guard let started = line?.split(separator: " ").last.flatMap({ Int64($0) }),
            let seconds = SystemFile.text("/proc/uptime")?.split(separator: " ").first.flatMap({ Double($0) })
        else { return nil }
        return (started, Int64(seconds))
    }

    /// The program itself, and what the system changes from time to time.
    private var newest: (path: String, changed: Int64)? {
        let program = SystemFile.target(of: "/proc/self/exe") ?? "/proc/self/exe"
        let paths = [program, "/var/lib/systemd/timesync/clock", "/etc/ld.so.cache", "/var/log/wtmp"] + places
        let times = paths.compactMap { path in
            SystemFile.status(path).map { (path: path, changed: Int64($0.st_mtim.tv_sec)) }
        }
        return times.max { $0.changed < $1.changed }
    }
}
