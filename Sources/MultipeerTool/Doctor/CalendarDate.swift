/// A time as people read it, in UTC.
enum CalendarDate {
    /// Returns `2026-11-23 01:30 UTC` for seconds since 1970.
    static func text(_ seconds: Int64) -> String {
        let days = Int((seconds >= 0 ? seconds : seconds - 86_399) / 86_400)
        let rest = Int(seconds) - days * 86_400
        let (year, month, day) = date(days)
        return
            "\(padded(year, 4))-\(padded(month))-\(padded(day)) \(padded(rest / 3_600)):\(padded(rest / 60 % 60)) UTC"
    }

    /// Returns a length of time in its greatest unit: `3 days`.
    static func length(_ seconds: Int64) -> String {
        let units: [(Int64, String)] = [(31_557_600, "year"), (86_400, "day"), (3_600, "hour"), (60, "minute")]
        let unit = units.first { abs(seconds) >= 2 * $0.0 } ?? (1, "second")
        let count = abs(seconds) / unit.0
        return "\(count) \(unit.1)\(count == 1 ? "" : "s")"
    }

    /// Days since 1970 in the Gregorian calendar. Years begin with March, so that a leap day comes last.
    private static func date(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    private static func padded(_ number: Int, _ width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
