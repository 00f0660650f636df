import MultipeerCertificates

extension DERReader {
    /// A Time (RFC 5280 §4.1.2.5) as seconds since 1970.
    ///
    /// > CAs conforming to this profile MUST always encode certificate validity dates through the year 2049 as
    /// > UTCTime; certificate validity dates in 2050 or later MUST be encoded as GeneralizedTime.
    mutating func time() throws(CertificateRejection) -> Int64 {
        let element = try next()
        let digits = content(element)
        switch element.tag {
        case DERTag.utcTime:
            guard digits.count == 13 else { throw .malformed }
            let short = try Self.number(digits[0..<2])
            return try Self.seconds(year: short < 50 ? 2000 + short : 1900 + short, digits[2...])
        case DERTag.generalizedTime:
            guard digits.count == 15 else { throw .malformed }
            let year = try Self.number(digits[0..<4])
            guard year >= 2050 else { throw .malformed }
            return try Self.seconds(year: year, digits[4...])
        default:
            throw .malformed
        }
    }

    /// `rest` is MMDDHHMMSSZ.
    private static func seconds(year: Int, _ rest: ArraySlice<UInt8>) throws(CertificateRejection) -> Int64 {
        guard rest.last == UInt8(ascii: "Z") else { throw .malformed }
        var fields: [Int] = []
        for place in 0..<5 {
            let start = rest.startIndex + 2 * place
            fields.append(try number(rest[start..<(start + 2)]))
        }
        let (month, day, hour, minute, second) = (fields[0], fields[1], fields[2], fields[3], fields[4])
        guard (1...12).contains(month), day >= 1, day <= daysInMonth(month, year: year), hour <= 23, minute <= 59,
            second <= 59
        else { throw .malformed }
        return Int64(daysSince1970(year, month, day)) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    }

    private static func number(_ digits: ArraySlice<UInt8>) throws(CertificateRejection) -> Int {
        var value = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { throw .malformed }
            value = value * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return value
    }

    private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    private static func daysInMonth(_ month: Int, year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days of the Gregorian calendar, counted in years that begin with March so that a leap day comes last.
    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month > 2 ? year : year - 1
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }
}
