import ArgumentParser
import WaybillEncoding

/// A length of time as an option takes it (``DurationText``), up to a day.
struct DurationArgument: ExpressibleByArgument {
    let duration: Duration

    init(duration: Duration) {
        self.duration = duration
    }

    init?(argument: String) {
        guard let duration = DurationText.parse(argument), duration <= .seconds(86_400) else { return nil }
        self.duration = duration
    }

    var defaultValueDescription: String { DurationText.text(duration) }
}
