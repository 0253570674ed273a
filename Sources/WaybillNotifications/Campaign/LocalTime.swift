import Foundation

/// What clocks show on a day, wherever they are: `2026-12-24T18:00`.
package struct LocalTime: Hashable, Sendable, CustomStringConvertible {
    private let components: DateComponents

    /// - Returns: `nil` for anything but a date and a time in hours and minutes that the calendar has.
    package init?(_ text: String) {
        let parts = text.split(whereSeparator: { "-T:".contains($0) })
        guard text.utf8.count == 16, parts.map(\.count) == [4, 2, 2, 2, 2] else { return nil }
        let numbers = parts.compactMap { Int($0) }
        guard numbers.count == 5 else { return nil }
        let components = DateComponents(
            year: numbers[0],
            month: numbers[1],
            day: numbers[2],
            hour: numbers[3],
            minute: numbers[4],
            second: 0
        )
        guard components.isValidDate(in: Self.calendar(.gmt)) else { return nil }
        self.components = components
        guard description == text else { return nil }
    }

    package var description: String {
        func padded(_ number: Int?, _ width: Int) -> String {
            let text = String(number ?? 0)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        let day = "\(padded(components.year, 4))-\(padded(components.month, 2))-\(padded(components.day, 2))"
        return "\(day)T\(padded(components.hour, 2)):\(padded(components.minute, 2))"
    }

    /// When clocks of a zone show it.
    ///
    /// One that is skipped, as when summer time begins, is the first moment after the gap; of one that comes twice, the
    /// earlier.
    ///
    /// - Returns: milliseconds since 1970.
    func instant(in zone: TimeZone) -> Int64? {
        let calendar = Self.calendar(zone)
        guard let wall = Self.calendar(.gmt).date(from: components) else { return nil }
        // Clocks are ahead of UTC by 14 hours at the most.
        let before = wall.addingTimeInterval(-26 * 3600)
        let found = calendar.nextDate(
            after: before,
            matching: components,
            matchingPolicy: .nextTime,
            repeatedTimePolicy: .first
        )
        // Foundation finds nothing in a gap of less than an hour, or of a day.
        return (found ?? zone.nextDaylightSavingTimeTransition(after: before)).map(\.milliseconds)
    }

    static func calendar(_ zone: TimeZone) -> Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        return calendar
    }
}

extension Date {
    var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1000).rounded()) }

    init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}
