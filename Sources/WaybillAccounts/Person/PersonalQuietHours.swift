import Foundation
import WaybillMongo

/// When somebody's phones are to be silent, by the clocks where they are: `22:00` to `08:00` in `Europe/Prague`.
package struct PersonalQuietHours: Hashable, Sendable {
    /// Minutes of the day; the end is no part of it.
    package let from: Int
    package let to: Int
    /// A name of the IANA database.
    package let zone: String

    private typealias Field = Accounts.AccountField

    /// `nil` for what is no such time, the same time twice, and a zone that is not known.
    ///
    /// - Parameters:
    ///   - from: hours and minutes, such as `22:00`.
    ///   - to: another time of the day.
    ///   - zone: a name of the IANA database.
    package init?(from: String, to: String, zone: String) {
        guard let from = Self.minutes(from), let to = Self.minutes(to) else { return nil }
        self.init(from: from, to: to, zone: zone)
    }

    /// The same of minutes of the day.
    package init?(from: Int, to: Int, zone: String) {
        let day = 0..<24 * 60
        guard day.contains(from), day.contains(to), from != to, Self.timeZone(zone) != nil else { return nil }
        self.from = from
        self.to = to
        self.zone = zone
    }

    /// Whether a moment lies in them.
    ///
    /// - Parameter moment: milliseconds since 1970.
    /// - Returns: whether it does.
    package func contains(_ moment: Int64) -> Bool {
        guard let zone = Self.timeZone(zone) else { return false }
        let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment) / 1000))
        let seconds = (Int(moment / 1000) + offset) % 86_400
        let minute = (seconds < 0 ? seconds + 86_400 : seconds) / 60
        return from < to ? (from..<to).contains(minute) : minute >= from || minute < to
    }

    /// As ``init(from:to:zone:)`` reads it.
    package static func text(_ minutes: Int) -> String {
        [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }

    /// Whether a name is one of the IANA database, such as `Europe/Prague`.
    package static func isZone(_ name: String) -> Bool { timeZone(name) != nil }

    /// Of the IANA database alone: abbreviations and differences to UTC know no summer time.
    private static func timeZone(_ name: String) -> TimeZone? {
        guard name == "UTC" || name.contains("/"), name.utf8.count <= 64, !name.contains(".") else { return nil }
        return TimeZone(identifier: name)
    }

    /// The minutes of a time of the day such as `22:00`; `nil` for anything else.
    package static func minutes(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [2, 2], let hour = number(parts[0]), let minute = number(parts[1]),
            hour < 24, minute < 60
        else { return nil }
        return hour * 60 + minute
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
    }

    // MARK: - In the store

    init?(_ value: BSONValue?) {
        guard let document = value?.document, let from = document["\(Field.from)"]?.int,
            let to = document["\(Field.to)"]?.int, let zone = document["\(Field.zone)"]?.string
        else { return nil }
        self.init(from: Int(truncatingIfNeeded: from), to: Int(truncatingIfNeeded: to), zone: zone)
    }

    func write(_ writer: BSONWriter) {
        writer.append(Field.quietHours) { hours in
            hours.append(Field.from, int: from)
            hours.append(Field.to, int: to)
            hours.append(Field.zone, string: zone)
        }
    }
}
