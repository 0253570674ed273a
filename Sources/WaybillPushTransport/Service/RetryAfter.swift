/// Reads `retry-after`: how long a server asks to wait before the next request (RFC 9110 §10.2.3).
package enum RetryAfter {
    /// The longest wait that is believed; a server that asks for more is asked again after this.
    package static let longest = Duration.seconds(3600)

    /// What a header asks for.
    ///
    /// - Parameters:
    ///   - value: seconds, or a date.
    ///   - date: the answer's own `date`, which a date is counted from: the server's clock need not be ours.
    ///   - unixSeconds: the present, where the answer has no date that can be read.
    /// - Returns: 0 to ``longest``, in whole seconds; 0 for a date that has passed, `nil` for anything else.
    static func wait(_ value: String, date: String?, at unixSeconds: Int64) -> Duration? {
        let bytes = Array(value.utf8)
        if !bytes.isEmpty, bytes.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            // More digits than an integer holds are more seconds than the bound.
            return bounded(Int64(value) ?? .max)
        }
        guard let end = HTTPDate.seconds(value) else { return nil }
        let start = date.flatMap(HTTPDate.seconds) ?? unixSeconds
        let (wait, isOut) = end.subtractingReportingOverflow(start)
        return isOut ? nil : bounded(wait)
    }

    private static func bounded(_ seconds: Int64) -> Duration {
        min(max(.seconds(seconds.clamped), .zero), longest)
    }
}

extension Int64 {
    /// Far beyond the bound, and nothing that `Duration` cannot hold.
    fileprivate var clamped: Int64 { Swift.min(Swift.max(self, -86_400), 86_400) }
}
