import ArgumentParser
import WaybillEncoding
import WaybillThreads

/// A limit of time as somebody gave it: a date, or a duration back from now, which is another moment at every start.
struct GivenTime: Equatable, Sendable {
    /// Since 1970.
    let milliseconds: Int64
    /// Whether it is a duration back from now.
    let isRelative: Bool
    /// The same for whatever means the same: `1d` for `24h`, and a date, such as yesterday's, in UTC.
    let text: String

    /// A date.
    init(milliseconds: Int64) {
        self.milliseconds = milliseconds
        isRelative = false
        text = TimeText.text(milliseconds: milliseconds)
    }

    /// - Throws: `ValidationError` for what is neither a duration nor a date.
    init(_ text: String) throws {
        let duration = DurationText.sum(text)
        milliseconds = try LogFilters.time(text)
        isRelative = duration != nil
        self.text = duration.map(DurationText.text) ?? TimeText.text(milliseconds: milliseconds)
    }
}
