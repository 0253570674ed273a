import WaybillTelemetry
import WaybillThreads

/// What was refused because nobody sends it by mistake, and which connections were closed because their clients were too slow: for
/// whoever watches, since neither has a status of its own.
///
/// All reasons are there from the start.
final class RefusalTally: Sendable {
    /// What a request had.
    enum Refusal: String, CaseIterable {
        /// A cursor, or an id of a stream's event, that this installation has not made for this search and this caller.
        case forgedCursor = "forged_cursor"
        /// An address for mail with a line break or another control character.
        case mailHeader = "mail_header"
        /// The URL of a webhook that is not one of a server on the internet.
        case webhookURL = "webhook_url"
    }

    /// Why the server has closed a connection.
    enum Closing: String, CaseIterable {
        /// A request's head did not end in time.
        case slowHead = "slow_head"
        /// A request's body did not end in time.
        case slowBody = "slow_body"
        /// The client did not read what it was sent.
        case slowReader = "slow_reader"
        /// It had waited longest, where too many did.
        case crowded
    }

    private struct Counts: Sendable {
        var refusals: [Refusal: Int] = [:]
        var closings: [Closing: Int] = [:]
    }

    private let counts = Guarded(Counts())

    func count(_ refusal: Refusal) { counts.withLock { $0.refusals[refusal, default: 0] += 1 } }

    func count(_ closing: Closing) { counts.withLock { $0.closings[closing, default: 0] += 1 } }

    func measure(into page: inout MetricsPage) {
        let counts = counts.withLock { $0 }
        for refusal in Refusal.allCases {
            page.add(Self.refused, counts.refusals[refusal] ?? 0, ["reason": refusal.rawValue])
        }
        for closing in Closing.allCases {
            page.add(Self.closed, counts.closings[closing] ?? 0, ["reason": closing.rawValue])
        }
    }

    private static let refused = Metric(
        "waybill_api_refused_total",
        .counter,
        "Requests that were refused for something that nobody sends by mistake, by what it was."
    )
    private static let closed = Metric(
        "waybill_api_connections_closed_total",
        .counter,
        "Connections that the server has closed because of their clients, by why."
    )
}
