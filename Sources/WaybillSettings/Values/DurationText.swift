/// Durations as the configuration writes them: a whole number and a unit, such as `30d`, `12h` or `500ms`.
package enum DurationText {
    private static let units: [(name: String, duration: Duration)] = [
        ("ms", .milliseconds(1)), ("s", .seconds(1)), ("m", .seconds(60)), ("h", .seconds(3600)),
        ("d", .seconds(86_400)), ("w", .seconds(7 * 86_400)),
    ]

    /// Reads a duration; `nil` when the text is none.
    package static func parse(_ text: String) -> Duration? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        // Nine digits of the largest unit are 19 million years and fit; more could overflow.
        guard (1...9).contains(digits.count), let count = Int64(digits) else { return nil }
        guard let unit = units.first(where: { $0.name == text[digits.endIndex...] }) else { return nil }
        return unit.duration * Int(count)
    }

    /// Writes a duration in the largest unit that fits without a rest; whatever is below a millisecond is dropped.
    package static func text(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        let largest = units.last { unit in
            let length = unit.duration.components
            let size = length.seconds * 1000 + length.attoseconds / 1_000_000_000_000_000
            return unit.name != "w" && milliseconds != 0 && milliseconds % size == 0
        }
        guard let largest else { return "0s" }
        let length = largest.duration.components
        return "\(milliseconds / (length.seconds * 1000 + length.attoseconds / 1_000_000_000_000_000))\(largest.name)"
    }
}
