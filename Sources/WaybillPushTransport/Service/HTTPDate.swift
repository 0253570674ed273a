/// Reads the dates of HTTP headers, in the three forms that RFC 9110 §5.6.7 has every recipient know.
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Seconds since 1970; `nil` for what is no such date.
    ///
    /// The name of the weekday is not looked at.
    ///
    ///     Sun, 06 Nov 1994 08:49:37 GMT
    ///     Sunday, 06-Nov-94 08:49:37 GMT
    ///     Sun Nov  6 08:49:37 1994
    static func seconds(_ text: String) -> Int64? {
        let words = text.split { $0 == " " || $0 == "-" }
        switch words.count {
        case 6 where words[0].hasSuffix(",") && words[5] == "GMT":
            return seconds(day: words[1], month: words[2], year: words[3], time: words[4])
        case 5 where words[4].utf8.count == 4:
            return seconds(day: words[2], month: words[1], year: words[4], time: words[3])
        default:
            return nil
        }
    }

    private static func seconds(day: Substring, month: Substring, year: Substring, time: Substring) -> Int64? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false)
        guard clock.count == 3, let day = number(day, in: 1...31), let year = number(year, in: 0...9999),
            let month = months.firstIndex(where: { $0 == month }), let hour = number(clock[0], in: 0...23),
            let minute = number(clock[1], in: 0...59),
            // A leap second.
            let second = number(clock[2], in: 0...60)
        else { return nil }
        // Two digits mean 1970 to 2069, which covers every date that a server can mean.
        let fullYear = year >= 100 ? year : year + (year < 70 ? 2000 : 1900)
        return days(year: fullYear, month: month + 1, day: day) * 86_400 + hour * 3600 + minute * 60 + second
    }

    /// Days since 1 January 1970 in the Gregorian calendar, in years that begin with March.
    private static func days(year: Int64, month: Int, day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = year / 400
        let yearOfEra = year % 400
        let dayOfYear = Int64((153 * ((month + 9) % 12) + 2) / 5) + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func number(_ text: Substring, in range: ClosedRange<Int64>) -> Int64? {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let number = Int64(text),
            range.contains(number)
        else { return nil }
        return number
    }
}
