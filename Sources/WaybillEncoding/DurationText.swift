/// Durations as people write them, in the configuration and on the command line: a whole number and a unit, such as `30d`,
/// `12h` or `500ms`.
package enum DurationText {
    /// A unit by the letters that stand for it, the smallest first.
    package enum Unit: String, CaseIterable, Sendable {
        case milliseconds = "ms"
        case seconds = "s"
        case minutes = "m"
        case hours = "h"
        case days = "d"
        case weeks = "w"

        fileprivate var length: Int64 {
            switch self {
            case .milliseconds: 1
            case .seconds: 1000
            case .minutes: 60_000
            case .hours: 3_600_000
            case .days: 86_400_000
            case .weeks: 604_800_000
            }
        }
    }

    /// Reads a duration; `nil` when the text is none.
    ///
    /// - Parameters:
    ///   - text: one to nine digits and a unit, nothing else.
    ///   - units: those that are taken.
    /// - Returns: the duration; it does not overflow.
    package static func parse(_ text: some StringProtocol, in units: [Unit] = Unit.allCases) -> Duration? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        // Nine digits of the largest unit are 19 million years and fit; more could overflow.
        guard (1...9).contains(digits.count), let count = Int64(digits),
            let unit = Unit(rawValue: String(text[digits.endIndex...])), units.contains(unit)
        else { return nil }
        return .milliseconds(count * unit.length)
    }

    /// Reads a duration of one to six parts, such as `1h30m`; `nil` for any other text.
    ///
    /// For times on a command line and in a query; a setting has one part.
    package static func sum(_ text: some StringProtocol) -> Duration? {
        var rest = Substring(text)
        var sum = Duration.zero
        var parts = 0
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            let unit = rest[digits.endIndex...].prefix { $0.isLetter }
            guard parts < mostParts, let part = parse(rest[..<unit.endIndex]) else { return nil }
            sum += part
            parts += 1
            rest = rest[unit.endIndex...]
        }
        return parts > 0 && sum <= longest ? sum : nil
    }

    private static let mostParts = 6
    /// The longest that one part can say.
    private static let longest = Duration.seconds(999_999_999 * 604_800)

    /// What a duration looks like, for an error text: the words behind "must be".
    package static func form(in units: [Unit] = Unit.allCases) -> String {
        "a duration: a whole number and one of \(units.map(\.rawValue).joined(separator: ", "))"
    }

    /// Writes a duration in the largest unit up to days that fits without a rest; whatever is below a millisecond is
    /// dropped.
    package static func text(_ duration: Duration) -> String {
        let milliseconds = Int64(duration / .milliseconds(1))
        guard milliseconds != 0 else { return "0s" }
        let unit = Unit.allCases.last { $0 != .weeks && milliseconds % $0.length == 0 } ?? .milliseconds
        return "\(milliseconds / unit.length)\(unit.rawValue)"
    }
}
