import Foundation

/// When phones should be silent, by their own clocks: `22:00-08:00`.
package struct QuietHours: Hashable, Sendable, CustomStringConvertible {
    /// Minutes of the day.
    private let from: Int
    private let to: Int

    /// - Returns: `nil` for anything but two different times of a day.
    package init?(_ text: String) {
        let times = text.split(separator: "-", omittingEmptySubsequences: false).map(Self.minutes)
        guard times.count == 2, let from = times[0], let to = times[1], from != to else { return nil }
        self.from = from
        self.to = to
    }

    package var description: String { "\(Self.text(from))-\(Self.text(to))" }

    /// The moment itself, or the end of the quiet hours in which it lies.
    func end(after moment: Int64, in zone: TimeZone) -> Int64 {
        let calendar = LocalTime.calendar(zone)
        let date = Date(milliseconds: moment)
        let clock = calendar.dateComponents([.hour, .minute], from: date)
        let minute = (clock.hour ?? 0) * 60 + (clock.minute ?? 0)
        let isQuiet = from < to ? (from..<to).contains(minute) : minute >= from || minute < to
        guard isQuiet else { return moment }
        let end = calendar.nextDate(
            after: date,
            matching: DateComponents(hour: to / 60, minute: to % 60, second: 0),
            matchingPolicy: .nextTime,
            repeatedTimePolicy: .first
        )
        return end?.milliseconds ?? moment
    }

    private static func minutes(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [2, 2], let hour = Int(parts[0]), let minute = Int(parts[1]),
            (0..<24).contains(hour), (0..<60).contains(minute)
        else { return nil }
        return hour * 60 + minute
    }

    private static func text(_ minutes: Int) -> String {
        [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}
