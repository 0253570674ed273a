package import WaybillCore
import WaybillEncoding

extension LaneWait {
    /// How long, how often and why, in words.
    ///
    /// - Parameters:
    ///   - record: whose wait it is; what has not ended otherwise ended with it.
    ///   - provider: what people call the push service that it is of.
    /// - Returns: such as `for 30 s, put off 2 times: an operator had paused its lane`.
    package func text(of record: LoggedDelivery, provider: String) -> String {
        let isOver = until != nil || record.outcome != Outcome.deferred.rawValue
        let end = isOver ? Swift.min(until ?? record.date, record.date) : nil
        let length = end.flatMap { Self.length(from: from, to: $0) }.map { "for \(WaitText.text(milliseconds: $0))" }
        let count = times > 1 ? "put off \(times) times" : length == nil ? "put off" : nil
        return [length, count].compactMap(\.self).joined(separator: ", ") + ": \(words(provider))"
    }

    /// Milliseconds; `nil` for what can be no wait: a record may come from anybody's hands.
    static func length(from start: Int64, to end: Int64) -> Int64? {
        let (length, isTooLarge) = end.subtractingReportingOverflow(start)
        return !isTooLarge && (0...longest).contains(length) ? length : nil
    }

    /// A wait of more than a century is none, in milliseconds.
    static let longest: Int64 = 3_155_760_000_000

    private func words(_ provider: String) -> String {
        switch reason {
        case .paused: "an operator had paused its lane"
        case .refused: "\(provider) refused its lane, by key, certificate or topic"
        case .unreachable: "its lane did not reach \(provider)"
        case .retryAfter: "\(provider) had asked its lane for silence"
        case .slow: "its lane did not get on with what it had"
        case .delayed:
            "its lane sent again\(until.map { ", and its delay ended at \(TimeText.text(milliseconds: $0))" } ?? "")"
        case .notSent: "its lane gave it back unsent"
        }
    }
}
