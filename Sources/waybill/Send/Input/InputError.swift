/// What is wrong with the input, and where.
struct InputError: Error, Equatable, CustomStringConvertible {
    /// Counted from 1.
    let line: Int
    /// Names the field and the rule; never repeats a token or a payload.
    let reason: String

    var description: String { "line \(line): \(reason)" }
}

/// All that is wrong with an input: it is read to the end, so that one run shows everything.
struct InputErrors: Error {
    private static let mostShown = 20

    let errors: [InputError]

    /// One line per error, and a word about the rest.
    var lines: [String] {
        let rest = errors.count - Self.mostShown
        return errors.prefix(Self.mostShown).map(\.description) + (rest > 0 ? ["and \(rest) more"] : [])
    }
}
