import ArgumentParser

/// A length of time as an option takes it: a whole number with `ms`, `s` or `m`.
struct DurationArgument: ExpressibleByArgument {
    let duration: Duration

    init(duration: Duration) {
        self.duration = duration
    }

    init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && $0.isNumber }
        guard let count = Int(digits), count <= 1_000_000_000 else { return nil }
        switch argument.dropFirst(digits.count) {
        case "ms": duration = .milliseconds(count)
        case "s": duration = .seconds(count)
        case "m": duration = .seconds(count * 60)
        default: return nil
        }
    }

    var defaultValueDescription: String { "0ms" }
}
