/// Which headers of answers are looked at: a small table, asked for every header of every answer.
package struct AnswerHeaderNames: Sendable {
    private struct Entry {
        let name: StaticString
        /// Whether the header counts in a 200, too.
        let isAlwaysKept: Bool
    }

    /// HTTP's own (RFC 9110 §10.2.3).
    ///
    /// The `date` is the server's clock, which a `retry-after` may be counted from; a 200 may come with one each, which
    /// nobody needs.
    private static let common: [StaticString] = ["retry-after", "date"]

    private let entries: [Entry]
    /// One bit for each length that a name has, so that most headers are passed over at once.
    private let lengths: UInt64

    /// - Parameter names: of the service's own headers, in lower case, shorter than 64 characters.
    package init(_ names: StaticString...) {
        entries =
            names.map { Entry(name: $0, isAlwaysKept: true) }
            + Self.common.map { Entry(name: $0, isAlwaysKept: false) }
        lengths = entries.reduce(0) { $0 | 1 << UInt64($1.name.utf8CodeUnitCount) }
    }

    /// Whether a header of this length may be one that is kept.
    func mayHold(length: Int) -> Bool {
        lengths & (1 << UInt64(truncatingIfNeeded: length)) != 0
    }

    /// The name of a header that is kept in an answer with this status; `nil` for every other.
    func name(_ bytes: UnsafeRawBufferPointer, status: Int) -> String? {
        for entry in entries where entry.isAlwaysKept || status != 200 {
            let text = entry.name
            if bytes.elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)) {
                return text.description
            }
        }
        return nil
    }
}

/// The headers of an answer that are kept besides the status; few answers have any.
package final class AnswerHeaders {
    /// Longer values are cut.
    private static let maximumLength = 128

    private var values: [String: String] = [:]

    package subscript(name: String) -> String? { values[name] }

    /// How long the answer asks to wait.
    package func retryAfter(at unixSeconds: Int64) -> Duration? {
        self["retry-after"].flatMap { RetryAfter.wait($0, date: self["date"], at: unixSeconds) }
    }

    func set(_ name: String, _ value: UnsafeRawBufferPointer) {
        values[name] = String(decoding: value.prefix(Self.maximumLength), as: UTF8.self)
    }
}
