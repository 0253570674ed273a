import Glibc

/// Points in time as text: RFC 3339 in UTC, or a duration back from now.
package enum TimeText {
    /// Formats milliseconds since 1970 as `2026-11-21T04:05:06.789Z`.
    package static func text(milliseconds: Int64) -> String {
        var text = [UInt8]()
        append(milliseconds: milliseconds, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// The day in UTC, as `2026-11-21`.
    ///
    /// - Parameter seconds: since 1970.
    /// - Returns: ten characters.
    package static func day(seconds: Int64) -> String {
        String(text(milliseconds: seconds * 1000).prefix { $0 != "T" })
    }

    private static func append(milliseconds: Int64, to text: inout [UInt8]) {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        var clock = time_t(rest < 0 ? seconds - 1 : seconds)
        var parts = tm()
        gmtime_r(&clock, &parts)
        append(Int(parts.tm_year) + 1900, width: 4, to: &text)
        for (separator, number) in [
            (UInt8(ascii: "-"), Int(parts.tm_mon) + 1), (UInt8(ascii: "-"), Int(parts.tm_mday)),
            (UInt8(ascii: "T"), Int(parts.tm_hour)), (UInt8(ascii: ":"), Int(parts.tm_min)),
            (UInt8(ascii: ":"), Int(parts.tm_sec)),
        ] {
            text.append(separator)
            append(number, width: 2, to: &text)
        }
        text.append(UInt8(ascii: "."))
        append(Int(rest < 0 ? rest + 1000 : rest), width: 3, to: &text)
        text.append(UInt8(ascii: "Z"))
    }

    private static func append(_ number: Int, width: Int, to text: inout [UInt8]) {
        let digits = String(number).utf8
        for _ in digits.count..<max(width, digits.count) { text.append(UInt8(ascii: "0")) }
        text.append(contentsOf: digits)
    }

    /// Reads a duration back from now (``DurationText/sum(_:)``), a date (``date(_:)``), `today` or `yesterday`, which begin in UTC.
    ///
    /// - Parameters:
    ///   - text: what somebody wrote.
    ///   - now: milliseconds since 1970.
    /// - Returns: milliseconds since 1970; `nil` if the text is neither.
    package static func parse(_ text: String, now: Int64) -> Int64? {
        if let duration = DurationText.sum(text) { return now - Int64(duration / .milliseconds(1)) }
        let today = now - now % dayLength
        return switch text {
        case "today": today
        case "yesterday": today - dayLength
        default: date(text)
        }
    }

    /// In milliseconds.
    private static let dayLength: Int64 = 86_400_000

    /// Reads `2026-11-21` or `2026-11-21T04:05`, the latter with optional seconds and fraction, and with `Z` or an offset
    /// such as `+02:00`; without one it is UTC.
    ///
    /// - Returns: milliseconds since 1970; `nil` for anything else.
    package static func date(_ text: String) -> Int64? {
        var scanner = Scanner(rest: text[...])
        guard let year = scanner.digits(4), scanner.take("-"), let month = scanner.digits(2), scanner.take("-"),
            let day = scanner.digits(2), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        var parts = tm()
        parts.tm_year = Int32(year) - 1900
        parts.tm_mon = Int32(month) - 1
        parts.tm_mday = Int32(day)
        var milliseconds: Int64 = 0
        var offset: Int64 = 0
        if scanner.take("T") || scanner.take(" ") {
            guard let hour = scanner.digits(2), scanner.take(":"), let minute = scanner.digits(2), hour < 24,
                minute < 60
            else { return nil }
            parts.tm_hour = Int32(hour)
            parts.tm_min = Int32(minute)
            if scanner.take(":") {
                guard let second = scanner.digits(2), second < 60 else { return nil }
                parts.tm_sec = Int32(second)
                if scanner.take(".") {
                    guard let fraction = scanner.fraction() else { return nil }
                    milliseconds = fraction
                }
            }
            guard let seconds = scanner.offset() else { return nil }
            offset = seconds
        }
        guard scanner.rest.isEmpty else { return nil }
        let seconds = Int64(timegm(&parts))
        // timegm carries 31 February over into March; a date that does not exist is a mistake.
        guard parts.tm_mday == Int32(day) else { return nil }
        return (seconds - offset) * 1000 + milliseconds
    }

    /// Reads a point in time at which something happens, as RFC 3339 has it: a date and a time, with `Z` or an offset.
    ///
    /// Without a zone it would be an hour that everybody takes for their own.
    ///
    /// - Returns: milliseconds since 1970; `nil` for anything else.
    package static func instant(_ text: String) -> Int64? {
        let zone = text.utf8.suffix(6)
        let isOffset = zone.first == UInt8(ascii: "+") || zone.first == UInt8(ascii: "-")
        // A date alone ends like an offset.
        guard isOffset || zone.last == UInt8(ascii: "Z"), text.utf8.count > 10 else { return nil }
        return date(text)
    }

    private static func number(_ digits: Substring) -> Int64? {
        digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(digits) : nil
    }

    private struct Scanner {
        var rest: Substring

        mutating func take(_ character: Character) -> Bool {
            guard rest.first == character else { return false }
            rest.removeFirst()
            return true
        }

        mutating func digits(_ count: Int) -> Int64? {
            let digits = rest.prefix(count)
            guard digits.count == count, let value = TimeText.number(digits) else { return nil }
            rest.removeFirst(count)
            return value
        }

        /// Milliseconds from the digits behind the point; finer ones are cut.
        mutating func fraction() -> Int64? {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            guard !digits.isEmpty else { return nil }
            rest.removeFirst(digits.count)
            return TimeText.number((digits + "00").prefix(3))
        }

        /// Seconds east of UTC; 0 at the end of the text.
        mutating func offset() -> Int64? {
            if rest.isEmpty || take("Z") { return 0 }
            let sign: Int64 = take("+") ? 1 : -1
            guard sign == 1 || take("-"), let hours = digits(2), take(":"), let minutes = digits(2), hours < 24,
                minutes < 60
            else { return nil }
            return sign * (hours * 3600 + minutes * 60)
        }
    }
}
